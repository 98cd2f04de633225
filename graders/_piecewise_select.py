"""The checks of `piecewise_select`, the elementwise version in exercise 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graders._piecewise_inputs import (
    EXAMPLE,
    SPREAD,
    branch_counts,
    call_with,
    gradient_calls,
    random_rows,
)
from graders._piecewise_pieces import INSIDE, PI32, agree, judge_slopes, misplaced, untraced
from graders._piecewise_words import finding
from graders.checks import raised, run, told
from graders.compare import as_float, brief
from graders.findings import Finding
from graders.observe import TRACE, Call, Observation

_SELECT = "piecewise/piecewise_select"


def _probe(label: str) -> Call:
    """A call with a scalar that tells why a call with an array fails."""
    return Call((np.array(1, np.float32),), through=(TRACE,), otherwise=((),), label=label)


def _no_array(observation: Observation, probe: Observation) -> Finding:
    """The finding for an array that raised."""
    problem = observation.problem
    assert problem is not None
    if branch_counts(probe):
        return finding("piecewise/select-uses-cond", given="an array", came=told(problem))
    if probe.returned:
        return finding("piecewise/select-scalar-only", given="an array", came=told(problem))
    return raised("piecewise", problem)


def check_select_values(answer: Any, *, seed: int | None = None, count: int = 4) -> None:
    """Checks the values of `piecewise_select` on arrays of shape (3,).

    Args:
        answer: the student's `piecewise_select`.
        seed: seed of further points; `None` checks fixed points only.
        count: number of further arrays.

    Raises:
        graders.report.CheckFailed: if a value is wrong, or an array raises.
    """
    rows = (EXAMPLE, SPREAD[:3], (0.0, PI32, SPREAD[3]), *random_rows(seed, count))
    calls = [call_with(np.array(row, np.float32), "values of an array") for row in rows]
    run(_SELECT, "values", answer, [*calls, _probe(calls[0].label)], judge_select_values)


def judge_select_values(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_select_values`; the last call is the probe."""
    label = calls[0].label
    for call, observation in zip(calls[:-1], seen[:-1], strict=True):
        if not observation.returned:
            yield _no_array(observation, seen[-1])
            return
        if (value := as_float(observation.value)) is None or value.shape != call.args[0].shape:
            yield _select_shape(call, observation)
            return
    xs = np.concatenate([call.args[0] for call in calls[:-1]]).astype(np.float64)
    came = np.concatenate([np.asarray(o.value, np.float64) for o in seen[:-1]])
    for wrong in misplaced(xs, came).values():
        yield replace(wrong, part=label)


def _select_shape(call: Call, observation: Observation) -> Finding:
    shape = np.shape(call.args[0])
    value = as_float(observation.value)
    return finding(
        "piecewise/select-scalar-only", given=f"an array of shape {shape}", part=call.label,
        came=brief(observation.value) if value is None else f"a result of shape {value.shape}",
        expected=f"a result of shape {shape}",
    )  # fmt: skip


def check_select_shapes(answer: Any) -> None:
    """Checks that `piecewise_select` takes shapes (), (3,) and (2, 3).

    Args:
        answer: the student's `piecewise_select`.

    Raises:
        graders.report.CheckFailed: if a shape raises, or the result has another one.
    """
    xs = np.array([EXAMPLE, SPREAD[1:]], np.float32)
    calls = [call_with(x, f"shape {x.shape}") for x in (xs[0], xs[0, 0], xs)]
    run(_SELECT, "shapes", answer, [*calls, _probe(calls[1].label)], judge_select_shapes)


def judge_select_shapes(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_select_shapes`: each shape must agree with the first row's values."""
    row, scalar, table = seen[:3]
    failed = False
    for call, observation in zip(calls[:3], seen[:3], strict=True):
        if not observation.returned:
            failed = True
            reason = _no_array(observation, seen[-1])
            if reason.code == "piecewise/raises" and any(o.returned for o in seen[:3]):
                # It works for some shape, so the shape is what it stumbles over.
                reason = finding("piecewise/select-scalar-only", came=reason.came)
            shape = np.shape(call.args[0])
            yield replace(reason, given=f"an array of shape {shape}", part=call.label)
        elif (value := as_float(observation.value)) is None or value.shape != call.args[0].shape:
            failed = True
            yield _select_shape(call, observation)
    if failed:
        return
    for call, came, expected in (
        (calls[1], scalar.value, row.value[0]),
        (calls[2], table.value[0], row.value),
    ):
        if not agree(came, expected):
            yield finding(
                "piecewise/select-scalar-only", given=f"an array of shape {call.args[0].shape}",
                came=brief(came), expected=f"{brief(expected)}, as for shape (3,)", part=call.label,
            )  # fmt: skip


def check_select_structure(answer: Any) -> None:
    """Checks that there is no cond in the traced program of `piecewise_select`.

    Args:
        answer: the student's `piecewise_select`.

    Raises:
        graders.report.CheckFailed: if there is one, or it cannot be traced for any shape.
    """
    calls = [
        Call((np.ones(shape, np.float32),), through=(TRACE,), label="no cond")
        for shape in ((), (3,), (2, 3))
    ]
    run(_SELECT, "structure", answer, calls, judge_select_structure)


def judge_select_structure(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_select_structure`: traces of three shapes."""
    for call, observation in zip(calls, seen, strict=True):
        if branch_counts(observation):
            yield finding(
                "piecewise/select-uses-cond", part=call.label, came="a cond in it",
                given=f"the traced program for shape {np.shape(call.args[0])}", expected="none",
            )  # fmt: skip
            return
    if not any(observation.returned for observation in seen):
        # Some shapes fail for their shape; what tracing stumbles over says more.
        telling = (o for o in seen if o.problem is not None and o.problem.is_a("JAXTypeError"))
        yield untraced(next(telling, seen[0]))


def check_select_gradient(answer: Any, *, seed: int | None = None, count: int = 2) -> None:
    """Checks the derivative of `piecewise_select`, breakpoints included.

    Args:
        answer: the student's `piecewise_select`.
        seed: seed of further points; `None` checks fixed points only.
        count: number of further points in each piece.

    Raises:
        graders.report.CheckFailed: if a derivative is wrong.
    """
    calls = gradient_calls(seed, count)
    run(_SELECT, "derivative", answer, [*calls, _probe(INSIDE)], judge_select_gradient)


def judge_select_gradient(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_select_gradient`; the last call is the probe."""
    half = len(calls[:-1]) // 2
    values = seen[half:-1]
    for call, observation in zip(calls[half:-1], values, strict=True):
        if not observation.returned:
            yield _no_array(observation, seen[-1])
            return
        if np.shape(observation.value) != call.args[0].shape:
            yield _select_shape(call, observation)
            return
    yield from judge_slopes(calls[:half], seen[:half], values)
