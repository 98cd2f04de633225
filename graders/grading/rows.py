"""The ledger's rows of a class, read back from where they are kept: the graded notebooks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_solution

from graders.findings import Outcome
from graders.grading import intake
from graders.grading.course import Course
from graders.grading.judge import KEY
from graders.grading.ledger import Row


def rows_of_class(
    course: Course, assignment: str, sources: Mapping[str, NotebookNode], students: Sequence[str]
) -> list[Row]:
    """The rows of all graded notebooks, read back from where they are kept."""
    rows: list[Row] = []
    for student in students:
        graded = course.folder("autograded", student, assignment)
        submitted = course.folder("submitted", student, assignment)
        found: Mapping[str, Path] | None = None
        for name, source in sources.items():
            entry = graded_entry(graded / f"{name}.ipynb")
            if entry is not None:
                rows += [
                    replace(Row.from_json(row), student=student, notebook=name)
                    for row in entry.get("rows", [])
                ]
                continue
            if found is None:
                found, notes = intake.find_notebooks(submitted, sources)
            if name not in found:
                rows += missing_rows(student, name, source, notes.get(name, ""))
    return rows


def missing_rows(student: str, name: str, source: NotebookNode, note: str = "") -> list[Row]:
    """The rows of a notebook that was not handed in."""
    note = f"{name}.ipynb was not handed in" + (f"; {note}" if note else "")
    return [
        Row(
            student, name, cell.metadata.nbgrader.grade_id, Outcome.MISSING, 0.0,
            float(cell.metadata.nbgrader.points), note=note,
        )
        for cell in source.cells
        if is_grade(cell) and not is_solution(cell) and cell.cell_type == "code"
    ]  # fmt: skip


def graded_entry(path: Path) -> dict[str, Any] | None:
    """This project's metadata of a graded notebook, or `None` if there is none."""
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))["metadata"][KEY]
    except (OSError, ValueError, KeyError):
        return None
    return entry if isinstance(entry, dict) else None
