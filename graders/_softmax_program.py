"""Exercise 3: what its traced program, or an exception while tracing, says about an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from graders._softmax_inputs import Input
from graders._softmax_words import PROMISE, finding
from graders.checks import raised, told
from graders.compare import as_float, brief
from graders.findings import Finding
from graders.jaxprs import Program
from graders.observe import TRACE, Call, Observation, Problem


def arguments(call: Call) -> Input:
    """The input that a call of a check passes."""
    scores, *seg = call.args
    return scores, seg[0] if seg else call.kwargs["seg"], call.kwargs["num_segments"]


def came_of(observation: Observation) -> str:
    """The result or the exception, for a message."""
    return brief(observation.value) if observation.problem is None else told(observation.problem)


def misuse(observation: Observation, scores: np.ndarray, seg: np.ndarray, k: int) -> str | None:
    """What an exception, or a result of another shape, says about an answer."""
    n = len(scores)
    problem = observation.problem
    if problem is None:
        shape = getattr(as_float(observation.value), "shape", None)
        wrong = n != k and shape in ((k,), (n, k), (k, n))
        return "softmax/not-gathered" if wrong else None
    message = problem.message
    if "broadcast" in message and f"({n},)" in message and f"({k},)" in message:
        return "softmax/not-gathered"
    if "num_segments" in message and "argument" in message:
        return "softmax/num-segments"
    return untraceable(problem) if needs_values(problem) else None


_VALUES_NEEDED = (
    "ConcretizationTypeError", "TracerArrayConversionError", "TracerBoolConversionError",
    "TracerIntegerConversionError", "NonConcreteBooleanIndexError",
)  # fmt: skip


def needs_values(problem: Problem) -> bool:
    """Whether it was raised because a value, or a shape, is not known while tracing."""
    return problem.is_a(*_VALUES_NEEDED) or "Shapes must be 1D sequences" in problem.message


def untraceable(problem: Problem, with_known_ids: Sequence[Program] = ()) -> str:
    """Which misconception an exception while tracing shows.

    Args:
        problem: the exception, one that `needs_values`.
        with_known_ids: the programs traced from scores alone, if those exist.
    """
    if with_known_ids and _loop(with_known_ids):
        return "softmax/python-loop"
    if problem.is_a("NonConcreteBooleanIndexError") or "jnp.nonzero" in problem.message:
        # The scores of one segment are picked out, which takes a loop over the segments.
        return "softmax/python-loop"
    if problem.is_a("TracerArrayConversionError", "TracerBoolConversionError"):
        return "softmax/not-traceable"
    shape = problem.is_a("TracerIntegerConversionError") or not problem.is_a(*_VALUES_NEEDED)
    # With the ids known all is well: the largest of them stands in for num_segments.
    return "softmax/num-segments" if shape or with_known_ids else "softmax/not-traceable"


def not_traced(
    observation: Observation, call: Call, known: Sequence[Program], **details: str
) -> Finding:
    """The finding for a call that raised while tracing."""
    problem = observation.problem
    assert problem is not None
    code = misuse(observation, *arguments(call))
    if needs_values(problem) and code != "softmax/num-segments":
        code = untraceable(problem, known)
    if code is None and call.through == (TRACE,):
        return raised("softmax", problem, details["given"])
    return finding(code or "softmax/not-traceable", came=came_of(observation), **details)


_SIZES = ((24, 4), (24, 8), (24, 16), (48, 4), (96, 4))


def traces(label: str, *, ids_known: bool = False) -> list[Call]:
    """Traces of the sizes in `_SIZES`, with respect to scores and seg or to scores alone."""
    calls = []
    for n, k in _SIZES:
        scores, seg = np.zeros(n, np.float32), np.arange(n, dtype=np.int32) % k
        args, kwargs = ((scores,), {"seg": seg}) if ids_known else ((scores, seg), {})
        calls.append(Call(args, {**kwargs, "num_segments": k}, through=(TRACE,), label=label))
    return calls


def programs_of(seen: Sequence[Observation]) -> list[Program]:
    """The traced programs of the observations, or none if one is missing."""
    programs = [observation.program for observation in seen if observation.program is not None]
    return programs if len(programs) == len(seen) else []


def judge_structure(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_structure`: the traces of `_SIZES`, then those with the ids known."""
    programs, known = programs_of(seen[: len(_SIZES)]), programs_of(seen[len(_SIZES) :])
    if not programs:
        first = next(i for i, observation in enumerate(seen) if observation.program is None)
        yield not_traced(
            seen[first], calls[first], known,
            given="tracing your function, as jax.jit does", expected="a traced program",
        )  # fmt: skip
        return
    loop = _loop(programs)
    if loop is not None:
        axis, sizes, work = loop
        yield finding(
            "softmax/python-loop",
            given=f"the traced program for {axis} = {', '.join(map(str, sizes))}",
            came=f"{', '.join(map(str, work))} operations",
            expected="the same number of operations for every size",
        )
        return
    program = programs[2]
    n, k = _SIZES[2]
    largest = max((shape for e in program.walk() for shape in e.shapes), key=_size, default=())
    given = f"the traced program for N = {n}, num_segments = {k}"
    if 2 * _size(largest) >= n * k:
        yield finding(
            "softmax/dense", given=given, came=f"an array of shape {largest}",
            expected=f"no array with more than {n} entries",
        )  # fmt: skip
        return
    yield from _operations(program, given)


def _size(shape: Sequence[int]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _work(program: Program) -> int:
    """The number of operations, those in a scan's body once for each step."""
    return sum(
        1 + int(e.parameters.get("length", 1) if e.primitive == "scan" else 1)
        * sum(_work(inner) for inner in e.inner)
        for e in program.equations
    )  # fmt: skip


def _loop(programs: Sequence[Program]) -> tuple[str, list[int], list[int]] | None:
    """What the work grows with: its name, its sizes and the work at each; or `None`."""
    for axis, rows in (("num_segments", (0, 1, 2)), ("N", (0, 3, 4))):
        small, middle, large = work = [_work(programs[row]) for row in rows]
        # In proportion to a size that doubles twice, not to its logarithm.
        if large - middle > 1.5 * (middle - small) > 0:
            return axis, [_SIZES[row][axis == "num_segments"] for row in rows], work
    return None


# Each does what segment operations, arithmetic and indexing have to do in this exercise.
_OTHER = frozenset(
    {"sort", "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp", "scan", "while",
     "dot_general", "top_k", "approx_top_k", "argsort"}
)  # fmt: skip


_INDEXED = {
    "scatter-max": "segment_max", "scatter-min": "segment_min", "scatter-add": "segment_sum",
    "gather": "indexing",
}  # fmt: skip
"""By primitive what a student calls it."""


def _operations(program: Program, given: str) -> Iterator[Finding]:
    found = program.primitives()
    other = sorted(found & _OTHER)
    if other:
        yield finding(
            "softmax/other-ops", given=given, came=f"with {', '.join(other)}",
            expected="segment_max, segment_sum, arithmetic and indexing",
        )  # fmt: skip
        return
    if not found & {"scatter-max", "scatter-min"}:
        reduced = bool(found & {"reduce_max", "argmax"})
        yield finding(
            "softmax/global-max" if reduced else "softmax/no-max", given=given,
            came="no segment maximum" + (", but a maximum over all scores" if reduced else ""),
            expected="the maximum of each segment, by jax.ops.segment_max",
        )  # fmt: skip
    if "scatter-add" not in found:
        yield finding(
            "softmax/global-sum" if "reduce_sum" in found else "softmax/other-ops", given=given,
            came="no segment sum", expected="the sum of each segment, by jax.ops.segment_sum",
        )  # fmt: skip
    for promise, code, why in (
        ("indices_are_sorted", "softmax/assumes-sorted", PROMISE),
        ("unique_indices", "softmax/assumes-unique", ""),
    ):
        broken = [
            _INDEXED[e.primitive] for e in program.walk()
            if e.primitive in _INDEXED and e.parameters.get(promise) and e.shapes[0] != ()
        ]  # fmt: skip
        if broken:
            said = finding(
                code, why=why, given=given, came=f"{promise}=True in {', '.join(broken)}",
                expected=f"{promise}=False, as it is by default",
            )  # fmt: skip
            yield replace(said, next_step=f"Leave {promise} out.")
