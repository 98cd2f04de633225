"""Grading one notebook: the student's cells in their kernel, the locked cells on this side.

`grade` is a task of its own: a notebook in, a notebook and rows out. It needs no disk that
others share and no database, so it may run in any process.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.utils import is_grade, is_locked, is_solution

from graders import observe as seeing
from graders import report, values
from graders.checks import cell_raised
from graders.findings import Outcome, Result
from graders.grading.intake import by_name
from graders.grading.kernel import Budget, CellRun, StudentKernel
from graders.grading.ledger import Row
from graders.grading.outputs import output
from graders.grading.proxies import Opaque, RemoteFunction
from graders.grading.stubs import HIDDEN
from graders.grading.supply import Supply
from graders.grading.trusted import TookTooLong, TrustedRun, TrustedSide
from graders.observe import Call, Observation, Undefined

KEY = "graders"
"""The key of this project's notebook metadata: rows, notes, and what they belong to."""

_SUPPLY = Supply()

_STOPPED = {
    seeing.TIMED_OUT: Outcome.TIMED_OUT,
    seeing.CRASHED: Outcome.CRASHED,
    seeing.OUT_OF_MEMORY: Outcome.OUT_OF_MEMORY,
}


@dataclass(frozen=True)
class Settings:
    """How to grade.

    Attributes:
        budget: what a notebook may cost.
        confine: `"auto"`, `"required"` or `"off"`.
        warm: whether kernels are forked from a warm parent.
        readonly: further folders that kernels may read.
        environment: further environment variables of kernels.
    """

    budget: Budget = field(default_factory=Budget)
    confine: str = "auto"
    warm: bool = True
    readonly: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


class _Session:
    """The two sides of one notebook: which of the student's names stand for what."""

    def __init__(self, kernel: StudentKernel) -> None:
        self._kernel = kernel
        self._failed: list[tuple[str, CellRun]] = []
        self._described: dict[str, dict[str, Any]] = {}
        self.seen: list[Observation] = []
        """What came of the calls that the present test has made."""

    def observe(self, name: str, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Makes calls of one of the student's functions; called by its proxy."""
        seen = self._kernel.observe(name, calls)
        self.seen += seen
        return seen

    def run(self, name: str, source: str) -> CellRun:
        """Runs one of the student's cells."""
        self._described.clear()
        run = self._kernel.run_cell(source)
        if run.status != seeing.RETURNED:
            self._failed.append((name or source, run))
        return run

    def resolve(self, names: Sequence[str]) -> dict[str, Any]:
        """The proxies of the student's names."""
        unknown = [name for name in names if name not in self._described]
        if unknown:
            self._described.update(self._kernel.describe(unknown))
        return {name: self._proxy(name, self._described[name]) for name in names}

    def _proxy(self, name: str, description: Mapping[str, Any]) -> Any:
        match description.get("kind"):
            case "function":
                return RemoteFunction(self, name)
            case "data":
                try:
                    return values.decode(description["value"])
                except values.NotPlainError as error:
                    return Opaque(name, str(error))
            case "other" if description.get("type") == "ellipsis":
                return ...
            case "other":
                return Opaque(name, str(description.get("type"))[:80])
            case "stopped":
                return Undefined(name, str(description["status"]))
        run = self._culprit(name)
        if run is None:
            return Undefined(name)
        if run.problem is not None and run.problem.is_a("MemoryError"):
            return Undefined(name, seeing.OUT_OF_MEMORY)
        return Undefined(name, run.status, run.problem)

    def _culprit(self, name: str) -> CellRun | None:
        """The cell that should have defined a name and did not get to its end."""
        defines = re.compile(rf"^\s*(def\s+{re.escape(name)}\b|{re.escape(name)}\s*(:.*)?=)", re.M)
        for where, run in reversed(self._failed):
            if where == name or defines.search(where):
                blank = run.problem is not None and run.problem.is_blank
                return None if blank else run
        return None


def grade(
    notebook: NotebookNode,
    source: NotebookNode,
    settings: Settings,
    files: Mapping[str, bytes] | None = None,
) -> tuple[NotebookNode, list[Row]]:
    """Grades one notebook.

    Args:
        notebook: the sanitised submission; changed in place.
        source: the instructor's source notebook, the only place that tests are taken from.
        settings: how to grade.
        files: the submission's other files by relative path.

    Returns:
        The notebook with the outputs that carry the marks, and a row per graded cell, with
        empty `student` and `notebook`.
    """
    reference = by_name(source)
    rows: list[Row] = []
    with StudentKernel(
        settings.budget,
        confine=settings.confine,
        warm=settings.warm,
        files=files,
        readonly=settings.readonly,
        environment=dict(settings.environment),
        supply=_SUPPLY,
    ) as kernel:
        session = _Session(kernel)
        trusted = TrustedSide(session.resolve)
        _prepare(trusted, source)
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            known = reference.get(name)
            if known is not None and is_grade(known) and not is_solution(known):
                started = time.monotonic()
                cell.source = known.source
                session.seen.clear()
                # The kernel's own budget ends first, unless it is not the kernel that hangs.
                run = trusted.run(known.source, 1.5 * settings.budget.notebook_seconds)
                row = _row(name, float(known.metadata.nbgrader.points), run, session.seen)
                cell.outputs = _outputs(run, row)
                rows.append(replace(row, seconds=round(time.monotonic() - started, 3)))
            else:
                if known is not None and is_locked(known):
                    cell.source = known.source
                cell_run = session.run(name, HIDDEN.sub("", cell.source))
                cell.outputs = cell_run.outputs
                if cell_run.status in _STOPPED:
                    cell.outputs.append(_stopped_output(_STOPPED[cell_run.status]))
            cell.execution_count = None
    notebook.metadata[KEY] = {
        **notebook.metadata.get(KEY, {}),
        "rows": [row.to_json() for row in rows],
    }
    return notebook, rows


def _prepare(trusted: TrustedSide, source: NotebookNode) -> None:
    """Runs what test cells rely on: locked cells, and the imports of ordinary ones."""
    for cell in source.cells:
        if cell.cell_type == "code" and not is_grade(cell) and not is_solution(cell):
            trusted.prepare(cell.source, imports_only=not is_locked(cell))


def _row(name: str, points: float, run: TrustedRun, seen: Sequence[Observation]) -> Row:
    score = run.score(points)
    status, note = _status(run, score, points, seen)
    codes = dict.fromkeys(finding.code for result in run.results for finding in result.findings)
    return Row("", "", name, status, score, points, tuple(codes), note=note)


def _status(
    run: TrustedRun, score: float, points: float, seen: Sequence[Observation]
) -> tuple[Outcome, str]:
    """The outcome of a test cell: what stopped it counts for more than what it found."""
    absent = [proxy for proxy in run.resolved.values() if isinstance(proxy, Undefined)]
    outcomes = [result.outcome for result in run.results if not result.passed]
    for outcome in _STOPPED.values():
        if outcome in outcomes or any(_STOPPED.get(proxy.status) is outcome for proxy in absent):
            return outcome, ""
    for proxy in absent:
        if proxy.problem is not None:
            return Outcome.FAILED, f"the cell of {proxy.name} raised {proxy.problem.kind}"
    if Outcome.FAILED in outcomes:
        return Outcome.FAILED, ""
    if outcomes:
        return outcomes[0], ""
    if run.error is not None:
        # A test in nbgrader's ordinary style, which looks at the function itself.
        for observation in seen:
            if observation.status in _STOPPED:
                return _STOPPED[observation.status], ""
        problems = [observation.problem for observation in seen if observation.problem is not None]
        if any(problem.is_blank for problem in problems):
            return Outcome.NOT_ATTEMPTED, ""
    if isinstance(run.error, TookTooLong):
        return Outcome.TIMED_OUT, str(run.error)
    if run.error is not None:
        return (Outcome.NOT_ATTEMPTED if absent else Outcome.FAILED), ""
    if run.borrowed:
        return Outcome.FAILED, "the test's value is the student's own, and so no mark"
    if run.value is not None and run.partial(points) is None:
        return Outcome.FAILED, "the test's value is not a mark between 0 and the cell's points"
    return (Outcome.PASSED if score >= points else Outcome.FAILED), ""


def _outputs(run: TrustedRun, row: Row) -> list[NotebookNode]:
    """The outputs from which nbgrader reads the mark, and which the student reads."""
    outputs = []
    if run.printed:
        outputs.append(output("stream", name="stdout", text=run.printed))
    for result in _told(run):
        outputs.append(output("display_data", data=report.mimebundle(result)))
    if row.status == Outcome.PASSED or row.score > 0:
        if run.value is not None:
            outputs.append(output("execute_result", data={"text/plain": repr(float(row.score))}))
        return outputs
    stopped = Outcome(row.status) in _STOPPED.values()
    if run.error is not None and not stopped and not isinstance(run.error, report.CheckFailed):
        kind, message = type(run.error).__name__, report.first_lines(str(run.error))
    else:
        kind, message = "No points", row.note or Outcome(row.status).words
    outputs.append(cell_error(kind, message))
    return outputs


def _told(run: TrustedRun) -> list[Result]:
    """The results to show; where a cell of the student's raised, somebody must say so."""
    results = list(run.results)
    for name, proxy in run.resolved.items():
        nobody = not any(result.findings for result in results)
        if nobody and isinstance(proxy, Undefined) and proxy.problem is not None:
            finding = cell_raised("cell", name, proxy.problem)
            results.append(Result(name, "its cell", Outcome.FAILED, (finding,)))
    return results


def _stopped_output(outcome: Outcome) -> NotebookNode:
    message = {
        Outcome.TIMED_OUT: "This cell did not come to its end in time, so it was left out.",
        Outcome.CRASHED: "This cell ended the Python process, so it was left out.",
        Outcome.OUT_OF_MEMORY: "This cell used more memory than allowed, so it was left out.",
    }[outcome]
    return cell_error("Stopped", message)


def cell_error(kind: str, message: str) -> NotebookNode:
    """An error output, which costs a test cell its points."""
    return output("error", ename=kind, evalue=message, traceback=[f"{kind}: {message}"])
