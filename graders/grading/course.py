"""A course folder: its configuration, its source notebooks, and its release."""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import compute_checksum, is_solution
from traitlets import TraitError
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from graders.grading import intake
from graders.grading.config import configure
from graders.grading.judge import Settings, grade
from graders.grading.preprocessors import JudgeAnswers

log = logging.getLogger("graders")


class CourseError(Exception):
    """Something about the course or the command is wrong; the message is for its user."""


class Course:
    """An nbgrader course folder.

    Args:
        root: the folder with `source/` and, usually, `nbgrader_config.py`.

    Raises:
        CourseError: if there is no such folder, or it has no source.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        if not self.root.is_dir():
            raise CourseError(f"There is no folder {root}; give the course's folder as --course.")
        self.config = self._load()
        self.config.CourseDirectory.root = str(self.root)
        self.directory = CourseDirectory(config=self.config)
        if not self.source_folder.is_dir():
            raise CourseError(
                f"{self.root} has no folder {self.source_folder.name}; give the folder of a course "
                "as --course."
            )

    def _load(self) -> Config:
        path = self.root / "nbgrader_config.py"
        try:
            return PyFileConfigLoader(path.name, path=str(self.root)).load_config()
        except ConfigFileNotFound:
            return configure(Config())
        except Exception as error:
            raise CourseError(
                f"{path} cannot be read ({type(error).__name__}: {error}); mend it and try again."
            ) from None

    @property
    def source_folder(self) -> Path:
        """The folder with one folder per assignment."""
        return self.root / self.directory.source_directory

    def folder(self, step: str, student: str, assignment: str) -> Path:
        """Where a step (`submitted`, `autograded`, …) keeps a student's assignment."""
        name = getattr(self.directory, f"{step}_directory")
        return Path(self.directory.format_path(name, student, assignment))

    def sources(self, assignment: str) -> dict[str, NotebookNode]:
        """The assignment's source notebooks by name.

        Raises:
            CourseError: if there is no such assignment.
        """
        paths = sorted((self.source_folder / assignment).glob("*.ipynb")) if assignment else []
        if not paths:
            known = sorted(path.name for path in self.source_folder.iterdir() if path.is_dir())
            raise CourseError(
                f"There is no assignment {assignment!r} in {self.source_folder}; there is "
                f"{', '.join(known) or 'none at all'}."
            )
        return {path.stem: nbformat.read(path, as_version=4) for path in paths}

    def students(self, assignment: str) -> list[str]:
        """The students who have a folder for the assignment among the submissions."""
        submitted = self.root / self.directory.submitted_directory
        if not submitted.is_dir():
            return []
        return sorted(
            folder.name
            for folder in submitted.iterdir()
            if not folder.is_symlink() and (folder / assignment).is_dir()
        )

    def settings(self) -> Settings:
        """How this course grades.

        Raises:
            CourseError: if the configuration has a value that cannot be.
        """
        try:
            return JudgeAnswers(config=self.config).settings()
        except TraitError as error:
            raise CourseError(f"{self.root / 'nbgrader_config.py'}: {error}") from None

    @contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """The course's gradebook, made if it does not exist."""
        with Gradebook(self.directory.db_url, self.directory.course_id) as gradebook:
            yield gradebook


def register(course: Course, assignment: str) -> None:
    """Puts the source's cells and points into the gradebook, without touching the release.

    Raises:
        CourseError: if the source has other cells than what was graded already.
    """
    with tempfile.TemporaryDirectory() as scratch:
        _generate(course, assignment, Path(scratch))


def release(course: Course, assignment: str) -> Path:
    """Generates the students' notebooks and proves that nothing leaks.

    Args:
        course: the course.
        assignment: the assignment's name.

    Returns:
        The release folder. It is replaced as a whole, once everything is proved.

    Raises:
        CourseError: if something leaks or cannot be generated; the old release stays then.
    """
    sources = course.sources(assignment)
    target = course.folder("release", ".", assignment)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".release-") as scratch:
        made = _generate(course, assignment, Path(scratch))
        for name, source in sources.items():
            path = made / f"{name}.ipynb"
            check_leaks(nbformat.read(path, as_version=4), source, path.name, course.settings())
        old = Path(scratch) / "old"
        if target.exists():
            target.rename(old)
        made.rename(target)
    return target


def _generate(course: Course, assignment: str, folder: Path) -> Path:
    """Runs nbgrader's generate_assignment into a folder of its own."""
    course.sources(assignment)
    config = Config(course.config)
    config.CourseDirectory.release_directory = str(folder)
    config.CourseDirectory.assignment_id = assignment
    converter = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
    converter.force = True
    converter.log = _quiet()
    converter.coursedir.log = _quiet()
    try:
        converter.start()
    except (NbGraderException, RuntimeError, ValueError) as error:
        raise CourseError(f"{assignment} cannot be released: {error}") from None
    return folder / assignment


def _quiet() -> logging.Logger:
    logger = logging.getLogger("graders.nbgrader")
    logger.setLevel(logging.CRITICAL)
    return logger


_REGION = re.compile(
    r"### BEGIN (?:SOLUTION|HIDDEN TESTS)[^\n]*\n(.*?)### END (?:SOLUTION|HIDDEN TESTS)", re.DOTALL
)


def check_leaks(made: NotebookNode, source: NotebookNode, name: str, settings: Settings) -> None:
    """Proves that a release notebook gives nothing away.

    Args:
        made: the release notebook.
        source: its source.
        name: its file name, for messages.
        settings: how to grade it.

    Raises:
        CourseError: if it holds an output, a line of a solution or of a hidden test, or if it
            scores anything as it is.
    """
    text = "\n".join(cell.source for cell in made.cells)
    secrets = {
        line.strip()
        for cell in source.cells
        for region in _REGION.findall(cell.source)
        for line in region.splitlines()
        if len(line.strip()) > 12
    }
    shown = {line.strip() for line in text.splitlines()}
    visible = {
        line.strip() for cell in source.cells for line in _REGION.sub("", cell.source).splitlines()
    }
    for line in sorted(secrets & shown - visible):
        raise CourseError(f"{name} would give away a line of a hidden region: {line!r}.")
    if "HIDDEN TESTS" in text or "BEGIN SOLUTION" in text:
        raise CourseError(f"{name} still has a marker of a hidden region; check its BEGIN and END.")
    for cell in made.cells:
        if cell.get("outputs"):
            raise CourseError(f"{name} has outputs; clear them in the source.")
        if is_solution(cell) and cell.metadata.nbgrader.get("checksum") != compute_checksum(cell):
            raise CourseError(f"{name}: the checksum of an answer cell is wrong; release again.")
    submission, _ = intake.repair(made, source)
    _, rows = grade(submission, source, settings)
    for row in rows:
        if row.score or row.status != "not-attempted":
            raise CourseError(
                f"{name}: cell {row.cell} comes to {row.score:g} points ({row.status}) although "
                "nothing is answered."
            )
