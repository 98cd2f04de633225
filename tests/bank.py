"""The bank of answers: reading it, and grading it in this process, as the tests do.

The answers are `tests/answers/<exercise>/<right or wrong>/<name>.py`; their format is
described in `graders.grading.answers`.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import nbformat

from graders import observe as seeing
from graders.checks import recording
from graders.findings import Outcome, Result
from graders.grading.answers import Answer, find
from graders.grading.demo import NOTEBOOKS
from graders.observe import Problem, Undefined
from graders.perform import Observer

ANSWERS = Path(__file__).parent / "answers"
SOURCE = Path(__file__).parent.parent / "source" / "control-flow"


def answers(exercise: str, kind: str = "*") -> list[Answer]:
    """The answers of one exercise; kind is `right`, `wrong` or `*`."""
    return find(ANSWERS, exercise, kind)


@dataclass(frozen=True)
class Cell:
    """A code cell of a source notebook that matters for grading."""

    grade_id: str
    source: str
    points: float
    solution: bool
    grade: bool


@functools.cache
def source_cells(exercise: str) -> tuple[Cell, ...]:
    """The code cells of an exercise's source notebook, in order."""
    notebook = nbformat.read(SOURCE / f"{NOTEBOOKS[exercise]}.ipynb", as_version=4)
    return tuple(_cells(notebook))


def _cells(notebook: Any) -> Iterator[Cell]:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            metadata = cell.metadata.get("nbgrader", {})
            yield Cell(
                grade_id=metadata.get("grade_id", ""),
                source=cell.source,
                points=float(metadata.get("points", 0)),
                solution=metadata.get("solution", False),
                grade=metadata.get("grade", False),
            )


@dataclass(frozen=True)
class Mark:
    """What a test cell came to: its points, and the results of its checks."""

    score: float
    points: float
    results: tuple[Result, ...]

    @property
    def outcome(self) -> Outcome:
        """The outcome of the first check that did not pass."""
        return next((r.outcome for r in self.results if not r.passed), Outcome.PASSED)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes found, each once."""
        return tuple(dict.fromkeys(f.code for r in self.results for f in r.findings))


def grade(answer: Answer | None, exercise: str = "") -> dict[str, Mark]:
    """Runs the source notebook's test cells on an answer, in this process.

    Args:
        answer: the answer; `None` leaves the source's own solutions in place.
        exercise: needed if there is no answer.

    Returns:
        For each test cell its mark.
    """
    cells = answer.cells if answer else {}
    namespace: dict[str, Any] = {"__name__": "__main__"}
    marks = {}
    # The answer stays the same between the checks, so they may share what they compile.
    observer = Observer()
    for cell in source_cells(answer.exercise if answer else exercise):
        if not cell.grade:
            source = cells.get(cell.grade_id, cell.source) if cell.solution else cell.source
            try:
                _run(source, cell.grade_id, namespace)
            except Exception as error:
                if not answer:
                    raise
                problem = Problem(type(error).__name__, message=str(error))
                namespace.setdefault(
                    cell.grade_id, Undefined(cell.grade_id, seeing.RAISED, problem)
                )
            if cell.solution:
                namespace.setdefault(cell.grade_id, Undefined(cell.grade_id))
            continue
        results: list[Result] = []
        with recording(results.append), mock.patch("graders.perform.Observer", lambda: observer):
            _run(cell.source, cell.grade_id, namespace)
        passed = all(result.passed for result in results)
        marks[cell.grade_id] = Mark(cell.points if passed else 0.0, cell.points, tuple(results))
    return marks


def _run(source: str, name: str, namespace: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        # A student's warnings are no errors, as they are none in a notebook.
        warnings.simplefilter("ignore")
        exec(compile(source, f"<{name}>", "exec"), namespace)
