"""Exercise 4: a piecewise function by `lax.switch`, and the same elementwise.

f(x) = x² for x < 0, sin x for 0 ≤ x < π, x − π for x ≥ π. `piecewise(x)` takes a scalar,
`piecewise_select(x)` an array of any shape, and `piecewise_cost` is a dict of what the
student found out about branches. Source: chapter 1, section 1.3 and exercise 4.

The checks compare with f in float64 and, piece by piece, with what each known
misunderstanding would give. What `piecewise_cost` should hold is not written here: it comes
with the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from graders._piecewise_cost import check_cost
from graders._piecewise_inputs import (
    EXAMPLE,
    FAR,
    SPREAD,
    branch_counts,
    call_with,
    gradient_calls,
    random_rows,
    scalars,
)
from graders._piecewise_pieces import (
    PI32,
    REGIONS,
    WRONG_MODELS,
    agree,
    given,
    judge_slopes,
    misplaced,
    oracle,
    region,
    untraced,
)
from graders._piecewise_select import (
    check_select_gradient,
    check_select_shapes,
    check_select_structure,
    check_select_values,
)
from graders._piecewise_words import finding
from graders.checks import raised, run
from graders.compare import as_float, brief
from graders.findings import Finding
from graders.observe import TRACE, Call, Observation, vmap, watch

__all__ = [
    "WRONG_MODELS",
    "check_cost", "check_gradient", "check_index", "check_select_gradient",
    "check_select_shapes", "check_select_structure", "check_select_values", "check_switch",
    "check_values", "check_vmap", "oracle", "show",
]  # fmt: skip

_SWITCH = "piecewise/piecewise"

# --- checks of piecewise ----------------------------------------------------------------------


def check_values(answer: Any, *, seed: int | None = None, count: int = 2) -> None:
    """Checks the values of `piecewise` at scalars in all three pieces.

    Args:
        answer: the student's `piecewise`.
        seed: seed of the points beside the worked example; `None` takes fixed ones.
        count: number of further points in each piece.

    Raises:
        graders.report.CheckFailed: if a value is wrong.
    """
    further = [*SPREAD, 0.0, PI32] if seed is None else [*random_rows(seed, count).reshape(-1)]
    calls = [call_with(x, REGIONS[int(region(x))]) for x in scalars([*EXAMPLE, *further])]
    run(_SWITCH, "values", answer, calls, judge_values)


def judge_values(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_values`: one scalar per call."""
    for call, observation in zip(calls, seen, strict=True):
        if not observation.returned:
            yield untraced(observation, given(call.args[0]))
            return
        value = as_float(observation.value)
        if value is None or value.shape != ():
            yield finding(
                "piecewise/shape", given=given(call.args[0]), came=brief(observation.value),
                expected="one number",
            )  # fmt: skip
            return
    xs = np.array([call.args[0] for call in calls], np.float64)
    yield from misplaced(xs, np.array([float(o.value) for o in seen])).values()


def check_switch(answer: Any) -> None:
    """Checks the structure of `piecewise`: one three-way `lax.switch`.

    Args:
        answer: the student's `piecewise`.

    Raises:
        graders.report.CheckFailed: if there is none, or Python decides.
    """
    calls = [Call((np.array(1, np.float32),), through=(TRACE,), label="one three-way lax.switch")]
    run(_SWITCH, "structure", answer, calls, judge_switch)


def judge_switch(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_switch`: a single trace."""
    [call], [observation] = calls, seen
    if not observation.returned:
        yield untraced(observation)
        return
    ways = branch_counts(observation)
    if 3 not in ways:
        yield _no_switch(ways, call.label)


def _no_switch(ways: Sequence[int], part: str) -> Finding:
    each = " and ".join(f"one with {number} branches" for number in ways)
    return finding(
        "piecewise/no-switch", given="the traced program", part=part,
        came=f"cond operations: {each or 'none'}", expected="one cond with 3 branches",
    )  # fmt: skip


def check_index(answer: Any) -> None:
    """Checks that the index of the switch is 0, 1 or 2 before `lax.switch` clamps it.

    Args:
        answer: the student's `piecewise`.

    Raises:
        graders.report.CheckFailed: if an index is out of range.
    """
    calls = [Call((x,), through=(watch(),), label="the switch's index") for x in scalars(FAR)]
    run(_SWITCH, "index", answer, calls, judge_index)


def judge_index(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_index`: watched calls at points near and far."""
    for call, observation in zip(calls, seen, strict=True):
        if not observation.returned:
            yield untraced(observation)
            return
        if 3 not in branch_counts(observation):
            yield _no_switch(branch_counts(observation), call.label)
            return
        index = _index(observation)
        if index is not None and not 0 <= index <= 2:
            yield finding(
                "piecewise/index-range", given=given(call.args[0]), came=f"index {index}",
                expected=f"index 0, 1 or 2, here {region(call.args[0])} if the branches are in "
                "the order of the pieces",
                part=call.label,
            )  # fmt: skip
            return


def _index(observation: Observation) -> int | None:
    """What the three-way switch was given as its index, or `None` if that was not seen."""
    before: Any = None
    for event in observation.events:
        if event.primitive == "clamp":
            before = event.details["operand"]
        elif event.primitive == "cond" and int(event.details["branches"]) == 3:
            index = event.details["index"] if before is None else before
            return int(index) if np.ndim(index) == 0 else None
    return None


def check_vmap(answer: Any) -> None:
    """Checks `jax.vmap(piecewise)`: the values of single calls, and no cond left.

    Args:
        answer: the student's `piecewise`.

    Raises:
        graders.report.CheckFailed: if it raises, keeps a cond, or differs.
    """
    xs = np.array(EXAMPLE, np.float32)
    calls = [
        call_with(xs, "jax.vmap(piecewise)", vmap(0)),
        *(call_with(x, "jax.vmap(piecewise)") for x in scalars(xs)),
    ]
    run(_SWITCH, "vmap", answer, calls, judge_vmap)


def judge_vmap(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_vmap`: the mapped call, then its elements one by one."""
    batched, *single = seen
    part = calls[0].label
    if not batched.returned:
        yield untraced(batched)
        return
    if batched.program is not None and batched.program.find("cond"):
        yield finding(
            "piecewise/vmap", given="the traced program of jax.vmap(piecewise)",
            came="a cond that still takes one branch at a time", expected="no cond", part=part,
        )  # fmt: skip
    alone = [as_float(observation.value) for observation in single]
    if any(value is None or value.shape != () for value in alone):
        problem = next((o.problem for o in single if o.problem is not None), None)
        if problem is not None:
            yield raised("piecewise", problem)
        else:
            came = brief(single[0].value)
            yield finding("piecewise/shape", came=came, expected="one number", part=part)
    elif not agree(batched.value, np.array(alone)):
        yield finding(
            "piecewise/vmap", given=f"x = {brief(calls[0].args[0])}", came=brief(batched.value),
            expected=f"{brief(np.array(alone))}, as from single calls", part=part,
        )  # fmt: skip


def check_gradient(answer: Any, *, seed: int | None = None, count: int = 2) -> None:
    """Checks the derivative of `jax.vmap(piecewise)`, breakpoints included.

    Args:
        answer: the student's `piecewise`.
        seed: seed of further points; `None` checks fixed points only.
        count: number of further points in each piece.

    Raises:
        graders.report.CheckFailed: if a derivative is wrong.
    """
    run(_SWITCH, "derivative", answer, gradient_calls(seed, count, vmap(0)), judge_gradient)


def judge_gradient(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_gradient`."""
    half = len(calls) // 2
    for observation in seen[half:]:
        if not observation.returned:
            yield untraced(observation)
            return
    yield from judge_slopes(calls[:half], seen[:half], seen[half:])


def show(answer: Any, version: Literal["switch", "select"] = "switch") -> None:
    """Draws the answer's curve and its derivative beside the right ones, and its traced program.

    Args:
        answer: the student's `piecewise`, or `piecewise_select`.
        version: `"switch"` for the one, `"select"` for the other.
    """
    from graders.pictures import piecewise as picture

    picture.show(answer, version)
