"""The one writer: gradebook and autograded files, through nbgrader's own parts."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import BaseCell, Grade, Gradebook, MissingEntry
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.utils import parse_utc

from graders.findings import Outcome
from graders.grading import ledger
from graders.grading.course import Course, CourseError
from graders.grading.judge import KEY
from graders.grading.ledger import Row
from graders.grading.preprocessors import (
    JudgeAnswers,
    mark_stale,
    not_judged,
    read_submission,
)

Change = tuple[str, str, str, float, float]
HandSet = tuple[str, str, str, float]


class Writer:
    """Prepares submissions and saves what was graded.

    Args:
        course: the course.
        assignment: the assignment's name.
        notebooks: the names of its notebooks.
    """

    def __init__(self, course: Course, assignment: str, notebooks: Sequence[str]) -> None:
        self._course = course
        self._assignment = assignment
        self._notebooks = notebooks
        self._begun: set[str] = set()
        self._before: dict[tuple[str, str], dict[str, tuple[float | None, float | None]]] = {}
        self._converter = Autograde(coursedir=course.directory, config=course.config)
        self._converter.log = logging.getLogger("graders.nbgrader")
        self._converter.log.setLevel(logging.ERROR)
        exporter = NotebookExporter(parent=self._converter, config=course.config)
        self._sanitise = self._make(self._converter.sanitize_preprocessors, exporter)
        self._save = self._make(
            self._converter.autograde_preprocessors, exporter, skip=JudgeAnswers
        )

    @staticmethod
    def _make(classes: Sequence[Any], parent: Any, skip: type | None = None) -> list[Any]:
        return [cls(parent=parent) for cls in classes if skip is None or not issubclass(cls, skip)]

    def __enter__(self) -> Writer:
        self._gradebook = Gradebook(
            self._course.directory.db_url, self._course.directory.course_id
        ).__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._gradebook.__exit__(*error)

    def _path(self, student: str, name: str) -> Path:
        return self._course.folder("autograded", student, self._assignment) / f"{name}.ipynb"

    def graded_digest(self, student: str, name: str) -> str | None:
        """The digest of what a notebook's present marks come from, or `None`."""
        try:
            self._gradebook.find_submission_notebook(name, self._assignment, student)
            entry = nbformat.read(self._path(student, name), as_version=4).metadata[KEY]
        except (MissingEntry, OSError, ValueError, KeyError, nbformat.ValidationError):
            return None
        return entry.get("digest")

    def begin(self, student: str) -> None:
        """Makes the student's submission known to the gradebook and copies its files, once.

        Raises:
            CourseError: if nbgrader cannot take it.
        """
        if student in self._begun:
            return
        folder = self._course.folder("submitted", student, self._assignment)
        _check_time(folder / "timestamp.txt")
        self._converter.notebooks = [str(folder / f"{name}.ipynb") for name in self._notebooks]
        try:
            self._converter.init_assignment(self._assignment, student)
        except NbGraderException as error:
            raise CourseError(f"{student}: {error}") from None
        self._begun.add(student)
        self._gradebook.db.expire_all()

    def _resources(self, student: str, name: str) -> dict[str, Any]:
        return {
            "unique_key": name,
            "nbgrader": {
                "student": student,
                "assignment": self._assignment,
                "notebook": name,
                "db_url": self._course.directory.db_url,
                "gradebook": self._gradebook,
            },
        }

    def sanitise(self, student: str, name: str, path: Path, note: str) -> NotebookNode:
        """Reads a submission and runs nbgrader's sanitising preprocessors on it.

        What an earlier run came to is taken back first, so that it does not look fresh if
        grading breaks off.
        """
        self._before.setdefault((student, name), self._marks(student, name))
        self._path(student, name).unlink(missing_ok=True)
        notebook = read_submission(path, note)
        resources = self._resources(student, name)
        for preprocessor in self._sanitise:
            notebook, resources = preprocessor(notebook, resources)
        return notebook

    def save(
        self, student: str, name: str, notebook: NotebookNode
    ) -> tuple[list[Change], list[HandSet]]:
        """Writes a notebook's marks and, last of all, the notebook itself.

        Returns:
            (marks that changed, marks set by hand and kept).
        """
        path = self._path(student, name)
        resources = self._resources(student, name)
        self._gradebook.db.expire_all()  # somebody may have set a mark by hand meanwhile
        for preprocessor in self._save:
            notebook, resources = preprocessor(notebook, resources)
        ledger.write_text(path, nbformat.writes(notebook) + "\n")
        os.chmod(path, 0o444)
        before, after = self._before.get((student, name), {}), self._marks(student, name)
        changes = [
            (student, name, cell, old, after[cell][0] or 0.0)
            for cell, (old, _) in before.items()
            if old is not None and cell in after and old != after[cell][0]
        ]
        hand_set = [
            (student, name, cell, manual)
            for cell, (_, manual) in after.items()
            if manual is not None
        ]
        return changes, hand_set

    def _marks(self, student: str, name: str) -> dict[str, tuple[float | None, float | None]]:
        """The automatic mark and the one set by hand, by cell, as they are in the database."""
        try:
            found = self._gradebook.find_submission_notebook(name, self._assignment, student)
        except MissingEntry:
            return {}
        columns = (BaseCell.name, Grade.auto_score, Grade.manual_score)
        query = self._gradebook.db.query(*columns).join(Grade.cell)
        rows = query.filter(Grade.notebook_id == found.id)
        return {cell: (auto, manual) for cell, auto, manual in rows}

    def missing(self, student: str, name: str) -> None:
        """A notebook that was not handed in: no marks, and no old file that looks like some."""
        self._path(student, name).unlink(missing_ok=True)
        folder = self._course.folder("feedback", student, self._assignment)
        (folder / f"{name}.html").unlink(missing_ok=True)
        with contextlib.suppress(MissingEntry):
            notebook = self._gradebook.find_submission_notebook(name, self._assignment, student)
            for grade in notebook.grades:
                grade.auto_score = 0.0
                grade.needs_manual_grade = grade.manual_score is not None
            self._gradebook.db.commit()

    def failed(self, student: str, name: str, reason: str, source: NotebookNode) -> list[Row]:
        """A notebook that could not be graded: its old marks must not look fresh."""
        note = f"grading broke off ({reason}); grade again, or look at it yourself"
        notebook, rows = not_judged(source, Outcome.CRASHED, note)
        self._gradebook.db.rollback()
        mark_stale(self._gradebook, student, self._assignment, name)
        path = self._path(student, name)
        ledger.write_text(path, nbformat.writes(notebook) + "\n")
        os.chmod(path, 0o444)
        return [replace(row, student=student, notebook=name) for row in rows]


def _check_time(path: Path) -> None:
    """Says in a sentence what nbgrader breaks off at without one."""
    if path.is_file():
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        try:
            parse_utc(text)
        except (ValueError, OverflowError):
            raise CourseError(
                f"{path.name} of the submission holds no time ({text[:40]!r}); mend or delete it"
            ) from None
