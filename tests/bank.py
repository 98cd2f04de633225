"""The bank of answers: reading it, and grading it in this process, as the tests do.

The answers are `tests/answers/<exercise>/<right or wrong>/<name>.py`; their format is
described in `graders.grading.answers`.

A `Session` runs the cells of an answer and remembers what each call of its functions came to. So
an answer can be judged again, with other seeds or tolerances, and only new calls are made.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import linecache
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import nbformat

from graders import observe as seeing
from graders import stepwise
from graders.checks import recording
from graders.findings import Outcome, Result
from graders.grading.answers import Answer, find
from graders.grading.demo import NOTEBOOKS
from graders.grading.stubs import HIDDEN
from graders.observe import Call, Observable, Observation, Undefined, call_to_json
from graders.perform import Observer, describe


class _Strict(logging.Handler):
    """Makes a fault of the graders' own a fault of the tests."""

    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


stepwise.log.setLevel(logging.DEBUG)
stepwise.log.addHandler(_Strict())

ANSWERS = Path(__file__).parent / "answers"
SOURCE = Path(__file__).parent.parent / "source" / "control-flow"
EXERCISES = tuple(NOTEBOOKS)


def answers(exercise: str = "*", kind: str = "*") -> list[Answer]:
    """The answers of one exercise, or of all; kind is `right`, `wrong` or `*`."""
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


def hidden_seeds(number: int) -> Callable[[str], str]:
    """A change of a test cell's source: seeds of hidden checks become `number`, 0 changes none."""

    def change(source: str) -> str:
        if not number:
            return source
        return HIDDEN.sub(lambda found: re.sub(r"seed=\d+", f"seed={number}", found[0]), source)

    return change


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


Marks = dict[str, Mark]


def verdict(marks: Marks) -> dict[str, list[str]]:
    """For each test cell that lost its points the codes that were told, or the outcome."""
    return {
        name: list(mark.codes) or [mark.outcome.value]
        for name, mark in marks.items()
        if mark.score < mark.points
    }


class Remembered(Observable):
    """A function of an answer, each call of which is made once.

    Args:
        fn: the function.
        x64: whether it is called with 64-bit types, as its cells have left it.
        observer: makes the calls.
    """

    def __init__(self, fn: Any, x64: bool, observer: Observer) -> None:
        self.fn = fn
        self._x64 = x64
        self._observer = observer
        self._seen: dict[str, Observation] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **kwargs)

    def observe_calls(self, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Makes those calls that are new."""
        return tuple(self._observe(call) for call in calls)

    def _observe(self, call: Call) -> Observation:
        key = json.dumps(call_to_json(call))
        if key not in self._seen:
            with x64_kept(self._x64):
                self._seen[key] = self._observer.observe(self.fn, call)
        return self._seen[key]


class Session:
    """An answer whose cells have run.

    Args:
        answer: the answer. Cells that it leaves alone hold the source's own solutions.
        exercise: needed if there is no answer.

    Attributes:
        names: what its solution cells define, by grade_id.
    """

    def __init__(self, answer: Answer | None, exercise: str = "") -> None:
        self.exercise = answer.exercise if answer else exercise
        self.names: dict[str, Any] = {}
        self._trusted: dict[str, Any] = {"__name__": "__main__"}
        own = answer.cells if answer else {}
        before = jax.config.jax_enable_x64
        student: dict[str, Any] = {"__name__": "__main__"}
        # The answer stays the same between the checks, so they may share what they compile.
        observer = Observer()
        with x64_kept(before), contextlib.redirect_stdout(io.StringIO()):
            for cell in source_cells(self.exercise):
                if cell.grade:
                    continue
                name = cell.grade_id
                if not cell.solution:
                    _run(cell.source, name, student)
                    _run(cell.source, name, self._trusted)
                elif answer and name not in own and jax.config.jax_enable_x64 == before:
                    self.names[name] = _solution(self.exercise, name)
                else:
                    value = _define(own.get(name, cell.source), name, student)
                    # An exception's class is an answer to a question, and no function.
                    if callable(value) and not isinstance(value, type | Observable):
                        value = Remembered(value, jax.config.jax_enable_x64, observer)
                    self.names[name] = value

    def marks(self, change: Callable[[str], str] = str, cells: Sequence[str] = ()) -> Marks:
        """Runs the source notebook's test cells.

        Args:
            change: what to do to a test cell's source first.
            cells: the cells to run; all of them if there are none.

        Returns:
            For each test cell its mark.
        """
        marks = {}
        for cell in source_cells(self.exercise):
            if not cell.grade or (cells and cell.grade_id not in cells):
                continue
            results: list[Result] = []
            with recording(results.append):
                _run(change(cell.source), cell.grade_id, self._trusted | self.names)
            passed = all(result.passed for result in results)
            marks[cell.grade_id] = Mark(cell.points if passed else 0.0, cell.points, tuple(results))
        return marks


def grade(answer: Answer | None, exercise: str = "") -> Marks:
    """The marks of an answer, or of an exercise's own solutions if there is none."""
    return Session(answer, exercise).marks()


_MARKS: dict[Path, Marks] = {}


def marks_of(answer: Answer) -> Marks:
    """The marks of an answer in the bank, which is graded once in a process."""
    if answer.path not in _MARKS:
        _MARKS[answer.path] = grade(answer)
    return _MARKS[answer.path]


def keep(answer: Answer, marks: Marks) -> None:
    """Keeps marks for `marks_of`."""
    _MARKS[answer.path] = marks


@functools.cache
def _solution(exercise: str, name: str) -> Any:
    """What a solution cell of the source defines: it runs once, and stands alone."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in source_cells(exercise):
        if not cell.grade and not cell.solution:
            _run(cell.source, cell.grade_id, namespace)
        elif cell.grade_id == name:
            value = _define(cell.source, name, namespace)
    x64 = jax.config.jax_enable_x64
    return Remembered(value, x64, Observer()) if callable(value) else value


def _define(source: str, name: str, namespace: dict[str, Any]) -> Any:
    """Runs a solution cell; what it defines, or a stand-in that says why it does not."""
    try:
        _run(source, name, namespace)
    except Exception as error:
        return namespace.get(name, Undefined(name, seeing.RAISED, describe(error)))
    return namespace.get(name, Undefined(name))


def _run(source: str, name: str, namespace: dict[str, Any]) -> None:
    # So that messages can quote a line.
    lines = source.splitlines(keepends=True)
    linecache.cache[f"<{name}>"] = (len(source), None, lines, f"<{name}>")
    with warnings.catch_warnings():
        # A student's warnings are no errors, as they are none in a notebook.
        warnings.simplefilter("ignore")
        exec(compile(source, f"<{name}>", "exec"), namespace)


@contextlib.contextmanager
def x64_kept(value: bool) -> Iterator[None]:
    """Sets whether JAX has 64-bit types, and puts it back; an answer may change it too."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", value)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)
