"""Running a check: observe, judge, report. Every check of every exercise goes through `run`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from graders import observe as seeing
from graders import report, values
from graders.findings import Finding, Outcome, Result
from graders.observe import Call, Observation, Problem

Judge = Callable[[Sequence[Call], Sequence[Observation]], Iterable[Finding]]
"""Turns calls and what came of them into findings; no findings means that all is right."""

DataJudge = Callable[[Any], Iterable[Finding] | None]
"""Turns a value into findings; `None` means that there is no answer in it yet."""

_PICTURES = {
    "returns/discounted_returns": "returns.show(discounted_returns)",
    "newton/newton_sqrt_scan": 'newton.show(newton_sqrt_scan, "scan")',
    "newton/newton_sqrt_while": 'newton.show(newton_sqrt_while, "while")',
    "softmax/segment_softmax": "softmax.show(segment_softmax)",
    "piecewise/piecewise": "piecewise_checks.show(piecewise)",
    "piecewise/piecewise_select": 'piecewise_checks.show(piecewise_select, "select")',
}
"""By subject what a student types, in the notebook where it is checked, to see a picture."""

_recorder: ContextVar[Callable[[Result], None] | None] = ContextVar("recorder", default=None)

_STOPPED = {
    seeing.TIMED_OUT: (
        Outcome.TIMED_OUT,
        "timed-out",
        "the call did not come back in time",
        "A loop whose condition never becomes False runs for ever, and inside a compiled "
        "loop nothing can interrupt it.",
        "Check what makes your loop stop, and bound its number of steps.",
    ),
    seeing.CRASHED: (
        Outcome.CRASHED,
        "crashed",
        "the Python process ended during the call",
        "Something in your code ends the process, for example os._exit or a signal.",
        "Take out whatever ends the process, then restart the kernel and run all cells.",
    ),
    seeing.OUT_OF_MEMORY: (
        Outcome.OUT_OF_MEMORY,
        "out-of-memory",
        "the call needed more memory than there is",
        "Some array grows with each step, or is far larger than the input.",
        "Look at the shapes in your code; none needs to be larger than a small multiple of "
        "the input.",
    ),
}


@contextmanager
def recording(recorder: Callable[[Result], None]) -> Iterator[None]:
    """Sends the results of checks to `recorder` instead of displaying and raising them."""
    token = _recorder.set(recorder)
    try:
        yield
    finally:
        _recorder.reset(token)


def is_recording() -> bool:
    """Whether results go to a recorder, so that nobody looks on."""
    return _recorder.get() is not None


def run(subject: str, title: str, answer: Any, calls: Sequence[Call], judge: Judge) -> None:
    """Runs one check.

    Args:
        subject: `exercise/name`, for example `"returns/discounted_returns"`.
        title: what is checked, for the heading of the result.
        answer: the student's function, or a proxy for it.
        calls: the calls to make. Labels tell the parts of the check apart.
        judge: turns what came of the calls into findings.

    Raises:
        report.CheckFailed: unless the check passes, or a recorder takes the result.
    """
    exercise, name = subject.split("/")
    if is_recording():
        deliver(examine(exercise, name, title, answer, calls, judge))
        return
    with report.Waiting(f"{name} – {title}") as place:
        result = examine(exercise, name, title, answer, calls, judge)
    place.show(result)


def examine(
    exercise: str, name: str, title: str, answer: Any, calls: Sequence[Call], judge: Judge
) -> Result:
    """Does what `run` does, and returns the result."""
    labels = list(dict.fromkeys(call.label or title for call in calls))

    def result(outcome: Outcome, *findings: Finding) -> Result:
        return Result(name, title, outcome, findings, tuple((label, outcome) for label in labels))

    if answer is None or answer is ...:
        return result(Outcome.NOT_ATTEMPTED)
    if not callable(answer):
        kind = type(answer).__name__
        return result(Outcome.FAILED, _not_a_function(exercise, name, kind))
    if isinstance(answer, seeing.Undefined) and answer.problem is not None:
        return result(Outcome.FAILED, cell_raised(exercise, name, answer.problem))
    seen = seeing.observe_all(answer, calls)
    if any(_is_blank(observation) for observation in seen):
        return result(Outcome.NOT_ATTEMPTED)
    for observation in seen:
        if observation.status in _STOPPED:
            outcome, *words = _STOPPED[observation.status]
            return result(outcome, stopped(exercise, *words))
        if observation.status in (seeing.REFUSED, seeing.MALFORMED):
            return result(Outcome.FAILED, _refused(exercise, observation))
    findings = [_with_part(finding, title) for finding in judge(calls, seen)]
    if not findings:
        return result(Outcome.PASSED)
    failed = {finding.part for finding in findings}
    # A finding about the answer as a whole speaks of every part.
    everywhere = not failed <= set(labels)
    parts = tuple(
        (label, Outcome.FAILED if everywhere or label in failed else Outcome.PASSED)
        for label in labels
    )
    see = _PICTURES.get(f"{exercise}/{name}", "")
    return Result(name, title, Outcome.FAILED, tuple(_once(findings)), parts, see)


def run_data(subject: str, title: str, answer: Any, judge: DataJudge) -> None:
    """Runs one check of a value that the student wrote down, where `run` is for functions.

    Args:
        subject: `exercise/name`, for example `"piecewise/piecewise_cost"`.
        title: what is checked, for the heading of the result.
        answer: the student's value. Undefined, `None` and `...` count as no answer.
        judge: turns the value into findings. It gets plain data in which every array is a
            NumPy array, or, if the answer is not plain data, the answer as it is.

    Raises:
        report.CheckFailed: unless the check passes, or a recorder takes the result.
    """
    exercise, name = subject.split("/")
    deliver(examine_data(exercise, name, title, answer, judge))


def examine_data(exercise: str, name: str, title: str, answer: Any, judge: DataJudge) -> Result:
    """Does what `run_data` does, and returns the result."""

    def result(outcome: Outcome, *findings: Finding) -> Result:
        return Result(name, title, outcome, findings, ((title, outcome),))

    if isinstance(answer, seeing.Undefined):
        if answer.status in _STOPPED:
            outcome, *words = _STOPPED[answer.status]
            return result(outcome, stopped(exercise, *words))
        if answer.problem is not None:
            return result(Outcome.FAILED, cell_raised(exercise, name, answer.problem))
    if answer is None or answer is ... or isinstance(answer, seeing.Undefined):
        return result(Outcome.NOT_ATTEMPTED)
    try:
        answer = values.decode(values.encode(answer))
    except values.NotPlainError:
        pass  # the judge knows what form is wanted, and says so
    findings = judge(answer)
    if findings is None:
        return result(Outcome.NOT_ATTEMPTED)
    told = tuple(_once(_with_part(finding, title) for finding in findings))
    return result(Outcome.FAILED if told else Outcome.PASSED, *told)


def deliver(result: Result) -> None:
    """Hands a result to the recorder, or displays it.

    Raises:
        report.CheckFailed: if there is no recorder and the check has not passed.
    """
    recorder = _recorder.get()
    if recorder is None:
        report.show(result)
    else:
        recorder(result)


def raised(exercise: str, problem: Problem, given: str = "", part: str = "") -> Finding:
    """The finding for an answer that raises where it should return."""
    return Finding(
        code=f"{exercise}/raises",
        headline="your function raises an exception",
        given=given,
        came=told(problem),
        expected="a result",
        why="Python stopped at the line above before your function could return.",
        next_step="Call your function on this input in a cell of its own and read the traceback "
        "from its last line upwards.",
        part=part,
    )


def cell_raised(exercise: str, name: str, problem: Problem) -> Finding:
    """The finding for a name that is not defined because its cell raised."""
    return Finding(
        code=f"{exercise}/raises",
        headline=f"the cell that should define {name} stopped with an exception",
        came=f"{problem.kind}: {first_sentence(problem.message)}",
        why=f"Python stopped before {name} had a value.",
        next_step="Restart the kernel, run all cells from the top, and mend the first one that "
        "fails.",
    )


def told(problem: Problem) -> str:
    """An exception in one line: its kind, what it says, and the student's line it came from."""
    said = f"{problem.kind}: {first_sentence(problem.message)}"
    if not problem.line:
        return said
    return f"{said.rstrip('.')}, in line {problem.number}: {problem.line}"


def first_sentence(message: str, limit: int = 240) -> str:
    """The beginning of an exception's message: its first line, or more where that ends in a colon.

    JAX's messages on a carry say what differs only after the line that says that it does.
    """
    head, _, rest = message.strip().partition("\n")
    if head.endswith(":"):
        head = f"{head} {rest.strip().partition(chr(10))[0]}".rstrip()
    return head if len(head) <= limit else head[: limit - 1] + "…"


def stopped(exercise: str, code: str, headline: str, why: str, next_step: str) -> Finding:
    """The finding for a call that never came back."""
    return Finding(f"{exercise}/{code}", headline, why=why, next_step=next_step)


def _is_blank(seen: Observation) -> bool:
    if seen.status == seeing.UNDEFINED:
        return True
    return seen.problem is not None and seen.problem.is_blank


def _not_a_function(exercise: str, name: str, kind: str) -> Finding:
    return Finding(
        f"{exercise}/not-a-function",
        f"{name} is not a function",
        came=f"{name} is of type {kind}",
        expected=f"def {name}(…): …",
        why="The name was given another value after, or instead of, the function's definition.",
        next_step="Define it with def, and do not use its name for anything else.",
    )


def _refused(exercise: str, seen: Observation) -> Finding:
    reason = seen.problem.message if seen.problem else "the reply made no sense"
    return Finding(
        f"{exercise}/refused",
        "this answer cannot be checked",
        came=reason,
        why="A check runs the program that JAX traces from your function, and that program "
        "must consist of JAX operations.",
        next_step="Write the computation with jax.numpy and jax.lax alone.",
    )


def _with_part(finding: Finding, title: str) -> Finding:
    return finding if finding.part else replace(finding, part=title)


def _once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Each code once: the first finding with a code is the one on the smallest input."""
    seen: set[str] = set()
    for finding in findings:
        if finding.code not in seen:
            seen.add(finding.code)
            yield finding
