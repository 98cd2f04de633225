"""This project's part of nbgrader's pipelines; `graders.grading.config` puts it into them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution
from traitlets import Bool, Enum, Float, Integer
from traitlets.config import Config

from graders.findings import Outcome
from graders.grading import intake, reading
from graders.grading.judge import KEY, Settings, cell_error, grade
from graders.grading.kernel import Budget
from graders.grading.ledger import Row
from graders.grading.marks import opened
from graders.grading.stubs import HIDDEN, ClearAnswers
from graders.kernels.limits import MIB

__all__ = [
    "ClearAnswers",
    "JudgeAnswers",
    "RedactHiddenTests",
    "RepairSubmission",
    "TolerantExporter",
    "also_renamed",
]


class TolerantExporter(NotebookExporter):
    """Reads submissions tolerantly; one that cannot be read becomes a notebook that says so."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kwargs: Any
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Reads and converts a notebook; only submissions, not what nbgrader wrote itself."""
        converter: Any = self.parent
        if not getattr(converter, "_sanitizing", False):
            return super().from_filename(filename, resources, **kwargs)
        path = Path(filename)
        assert resources is not None
        sources = read_sources(converter.coursedir, resources["nbgrader"]["assignment"])
        # The file may have another name; see `also_renamed`.
        found, notes = intake.find_notebooks(path.parent, sources)
        notebook = read_submission(found.get(path.stem, path), notes.get(path.stem, ""))
        return self.from_notebook_node(notebook, resources, **kwargs)


def read_submission(path: Path, note: str = "") -> NotebookNode:
    """A submitted notebook, or one without cells whose metadata says why it cannot be read.

    Args:
        path: the file.
        note: what there is to say about it; goes into the notebook's metadata.
    """
    try:
        if path.parent.is_symlink():
            raise intake.Unreadable(
                f"the folder {path.parent.name} is a link; ask for the files themselves."
            )
        notebook = intake.read(path)
        notebook.metadata[KEY] = {"notes": [note] if note else []}
    except intake.Unreadable as error:
        notebook = nbformat.v4.new_notebook()
        notebook.metadata[KEY] = {"unreadable": str(error)}
    return notebook


def read_sources(course: CourseDirectory, assignment: str) -> dict[str, NotebookNode]:
    """The source notebooks of an assignment by name."""
    folder = Path(course.format_path(course.source_directory, ".", assignment))
    return {path.stem: nbformat.read(path, as_version=4) for path in sorted(folder.glob("*.ipynb"))}


def also_renamed(config: Config) -> Callable[..., None]:
    """A hook for nbgrader's converter that adds notebooks which other files stand for.

    Args:
        config: the course's configuration, read when the hook is called.

    Returns:
        The hook, which changes the list of a submission's notebooks in place.
    """

    def hook(*, assignment: str, notebooks: list[str], **_: Any) -> None:
        folder = Path(notebooks[0]).parent
        sources = read_sources(CourseDirectory(config=config), assignment)
        found, _notes = intake.find_notebooks(folder, sources)
        notebooks += [
            str(folder / f"{name}.ipynb")
            for name, path in found.items()
            if path.parent != folder or path.name != f"{name}.ipynb"
        ]

    return hook


def repair_submission(notebook: NotebookNode, source: NotebookNode) -> NotebookNode:
    """Makes a submission fit the source; an unreadable one becomes an unanswered one.

    Args:
        notebook: as `read_submission` returns it.
        source: the instructor's notebook.

    Returns:
        The repaired notebook. Its metadata under `KEY` has `notes`, and `unreadable` with the
        reason where there is nothing to grade.
    """
    entry = dict(notebook.metadata.get(KEY, {}))
    if "unreadable" not in entry:
        try:
            notebook, notes = intake.repair(notebook, source)
            entry["notes"] = [*entry.get("notes", []), *notes]
        except intake.Unreadable as error:
            entry["unreadable"] = str(error)
    if "unreadable" in entry:
        notebook, _ = intake.repair(intake.released(source), source)
        entry["notes"] = []
    notebook.metadata[KEY] = entry
    return notebook


def judge_submission(
    notebook: NotebookNode,
    source: NotebookNode,
    settings: Settings,
    files: Mapping[str, bytes] | None = None,
) -> tuple[NotebookNode, list[Row]]:
    """Grades a repaired submission; see `graders.grading.judge.grade`.

    Returns:
        The graded notebook, with what there is to say about it in a cell at its top, and the
        rows of its test cells.
    """
    entry = notebook.metadata.get(KEY, {})
    reason = entry.get("unreadable")
    if reason is not None:
        return not_judged(source, Outcome.UNREADABLE, reason)
    notebook, rows = grade(notebook, source, settings, files)
    _tell(notebook, entry.get("notes", []))
    return notebook, rows


def not_judged(
    source: NotebookNode, outcome: Outcome, reason: str
) -> tuple[NotebookNode, list[Row]]:
    """What stands for a notebook that could not be graded.

    Args:
        source: the instructor's notebook.
        outcome: what its test cells come to.
        reason: a sentence for the teacher.

    Returns:
        (the notebook as handed out, with the reason in it; a row for each test cell).
    """
    notebook, _ = intake.repair(intake.released(source), source)
    rows = []
    for cell in notebook.cells:
        if is_grade(cell) and not is_solution(cell) and cell.cell_type == "code":
            entry = cell.metadata.nbgrader
            row = Row("", "", entry.grade_id, outcome, 0.0, float(entry.points), note=reason)
            cell.outputs = [cell_error("NotGraded", reason)]
            rows.append(row)
    notebook.metadata[KEY] = {"rows": [row.to_json() for row in rows]}
    _tell(notebook, [reason])
    return notebook, rows


def _tell(notebook: NotebookNode, lines: Sequence[str]) -> None:
    """Puts what there is to say about the file into a cell at the notebook's top."""
    if lines:
        told = nbformat.v4.new_markdown_cell(
            "**From the grader about this file:**\n\n"
            + "\n".join(f"- {reading.harmless(line)}" for line in lines)
        )
        told.id = "from-the-grader"
        notebook.cells.insert(0, told)


def mark_stale(gradebook: Gradebook, student: str, assignment: str, notebook: str) -> None:
    """Takes a notebook's automatic marks back, and has nbgrader ask for marks set by hand."""
    try:
        found = gradebook.find_submission_notebook(notebook, assignment, student)
    except MissingEntry:
        return
    for grade_ in found.grades:
        grade_.auto_score = None
        grade_.needs_manual_grade = True
    gradebook.db.commit()


class _OnSource(NbGraderPreprocessor):
    """A preprocessor that needs the instructor's source notebook."""

    def source(self, resources: ResourcesDict) -> NotebookNode:
        """The source of the notebook that is being processed."""
        course = self.parent.parent.coursedir
        names = resources["nbgrader"]
        folder = course.format_path(course.source_directory, ".", names["assignment"])
        return nbformat.read(Path(folder) / f"{names['notebook']}.ipynb", as_version=4)

    def feedback(self, resources: ResourcesDict) -> Path:
        """The page that tells the student what the notebook came to."""
        course = self.parent.parent.coursedir
        names = resources["nbgrader"]
        folder = course.format_path(
            course.feedback_directory, names["student"], names["assignment"]
        )
        return Path(folder) / f"{names['notebook']}.html"

    def submitted(self, resources: ResourcesDict) -> Path:
        """The folder of the submission that is being processed."""
        course = self.parent.parent.coursedir
        names = resources["nbgrader"]
        return Path(
            course.format_path(course.submitted_directory, names["student"], names["assignment"])
        )


class RepairSubmission(_OnSource):
    """Makes a submission's cells fit the source's again. First of the sanitizing ones.

    From then on marks that the notebook has from earlier count as stale: should grading break
    off, they do not look fresh.
    """

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        names = resources["nbgrader"]
        with opened(resources) as gradebook:
            mark_stale(gradebook, names["student"], names["assignment"], names["notebook"])
        self.feedback(resources).unlink(missing_ok=True)
        return repair_submission(nb, self.source(resources)), resources


class JudgeAnswers(_OnSource):
    """Stands in for nbgrader's Execute: the student's cells run there, the locked cells here."""

    call_timeout = Float(
        10.0, min=0.1, help="Seconds for one call of a student's function, or one cell."
    ).tag(config=True)
    notebook_timeout = Float(120.0, min=1, help="Seconds for one notebook.").tag(config=True)
    memory_limit = Integer(2048, min=256, help="MiB that a kernel may hold.").tag(config=True)
    confine = Enum(
        ("auto", "required", "off"), "auto", help="Whether student code is confined."
    ).tag(config=True)
    warm = Bool(True, help="Whether kernels are forked from a warm parent.").tag(config=True)

    def settings(self) -> Settings:
        """The traits as the judge takes them."""
        budget = Budget(self.call_timeout, self.notebook_timeout, self.memory_limit * MIB)
        return Settings(budget=budget, confine=self.confine, warm=self.warm)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        files = intake.read_files(self.submitted(resources))
        nb, _ = judge_submission(nb, self.source(resources), self.settings(), files)
        return nb, resources


class RedactHiddenTests(NbGraderPreprocessor):
    """Takes the source of hidden tests out of feedback; their findings stay."""

    reveal = Bool(False, help="Leave the hidden tests in the feedback.").tag(config=True)

    def preprocess_cell(
        self, cell: NotebookNode, resources: ResourcesDict, index: int
    ) -> tuple[NotebookNode, ResourcesDict]:
        if not self.reveal and cell.cell_type == "code":
            cell.source = HIDDEN.sub("# (hidden tests: not shown)", cell.source)
        return cell, resources
