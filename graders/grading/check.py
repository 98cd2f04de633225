"""Checking one notebook on the command line, as a student would with Validate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nbformat import NotebookNode

from graders.grading import intake
from graders.grading.course import CourseError
from graders.grading.judge import Settings, grade
from graders.grading.ledger import Row


def check_notebook(path: Path, settings: Settings | None = None) -> tuple[list[Row], str]:
    """Runs a notebook's own test cells.

    Args:
        path: the notebook; released, solved, or the source itself.
        settings: how to grade; by default as a course does without configuration.

    Returns:
        (a row per test cell, what they say as text).

    Raises:
        CourseError: if there is no such file, it cannot be read, or it has no test cells.
    """
    if not path.is_file():
        raise CourseError(f"There is no notebook {path}; give the path of an .ipynb file.")
    try:
        notebook = intake.read(path, keep_metadata=True)
    except intake.Unreadable as error:
        raise CourseError(str(error)) from None
    files = intake.read_files(path.parent)
    notebook, rows = grade(notebook, notebook, settings or Settings(), files)
    if not rows:
        raise CourseError(f"{path} has no test cells; give a notebook of an assignment.")
    return [replace(row, notebook=path.stem) for row in rows], _words(notebook, rows)


def _words(notebook: NotebookNode, rows: Sequence[Row]) -> str:
    lines = []
    outputs = {
        cell.metadata.nbgrader.grade_id: cell.outputs
        for cell in notebook.cells
        if cell.get("outputs") and cell.metadata.get("nbgrader", {}).get("grade")
    }
    for row in rows:
        lines.append(f"== {row.cell}: {row.status}, {row.score:g} of {row.max_score:g} points")
        for output in outputs.get(row.cell, []):
            if output.output_type == "display_data":
                lines.append(output.data["text/plain"])
            elif output.output_type == "error":
                lines.append(f"{output.ename}: {output.evalue}")
    return "\n".join(lines)
