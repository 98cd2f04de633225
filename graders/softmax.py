"""Exercise 3: softmax within segments, by segment_max and segment_sum.

`segment_softmax(scores, seg, num_segments)` applies a softmax to each group of scores that
share an id. Source: chapter 1, section 1.6 and exercise 3.

The checks compare with a float64 NumPy loop over the segments. What is wrong with an answer
shows in which inputs it gets wrong, in what known misunderstandings would give, and in the
operations of its traced program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from graders.checks import first_sentence, raised, run
from graders.compare import EPS32, as_float, brief, close, matching, numeric_gradient
from graders.findings import Finding
from graders.jaxprs import Program
from graders.observe import JIT, TRACE, Call, Observation, Problem, grad

_SUBJECT = "softmax/segment_softmax"

Input = tuple[np.ndarray, np.ndarray, int]
"""scores, shape (N,), float32; seg, shape (N,), int32; num_segments."""


def _input(scores: Any, seg: Any, num_segments: int) -> Input:
    return np.asarray(scores, np.float32), np.asarray(seg, np.int32), num_segments


_WEIGHTS = (1, 3, 2, 1, 1, 2)
_SEG = (0, 0, 1, 2, 2, 2)

EXAMPLE = _input(np.log(_WEIGHTS), _SEG, 3)
"""The worked example: the softmax of log(v) is v over its segment's sum, here
1/4, 3/4, 1, 1/4, 1/4, 1/2."""

_UNSORTED = _input(np.log(_WEIGHTS), (2, 0, 1, 0, 2, 2), 3)
_EMPTY_LAST = _input(np.log(_WEIGHTS), _SEG, 5)
_EMPTY_FIRST = _input(np.log(_WEIGHTS), (1, 1, 3, 4, 4, 4), 5)
_MANY = _input(np.log(_WEIGHTS), (0, 0, 4, 7, 7, 7), 9)
_LARGE = _input((10000, 10001, 9999, 10001, 10001, 10000), _SEG, 3)
_WIDE = _input((10000, -10000, 10000, 9999, 10000, -10000), _SEG, 3)
_SCALES = _input((10000, 10001, 0, -10000, -10000, -10001), _SEG, 3)


# --- the reference and the wrong models ---------------------------------------------------


def oracle(scores: Any, seg: Any, num_segments: int) -> np.ndarray:
    """The softmax within each segment, segment by segment, in float64.

    Args:
        scores: shape (N,), any real dtype.
        seg: shape (N,), ints from 0 to num_segments − 1 in any order.
        num_segments: the number of segments; some may be empty.

    Returns:
        Shape (N,), float64; the entries of each segment that is not empty sum to 1.
    """
    s, ids = np.asarray(scores, np.float64), np.asarray(seg)
    out = np.zeros(len(s))
    for k in range(num_segments):
        members = ids == k
        if members.any():
            e = np.exp(s[members] - s[members].max())
            out[members] = e / e.sum()
    return out


def _maxima(s: np.ndarray, seg: np.ndarray) -> np.ndarray:
    """For each score the maximum of its segment, shape (N,)."""
    return np.array([s[seg == k].max() for k in seg])


def _divide(e: np.ndarray, total: Any) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.asarray(e / total)


def _exp(x: Any) -> np.ndarray:
    # The scores of the checks are far below or far above the ends of float32 and float64 both.
    with np.errstate(over="ignore"):
        return np.exp(np.asarray(x, np.float64))


def _sums(e: np.ndarray, seg: np.ndarray) -> np.ndarray:
    """For each score the sum over its segment, shape (N,)."""
    return np.array([e[seg == k].sum() for k in seg])


def _shifted(s: np.ndarray, seg: np.ndarray, shift: Any) -> np.ndarray:
    e = _exp(np.asarray(s, np.float64) - shift)
    return _divide(e, _sums(e, seg))


def _over_all(s: np.ndarray, shift: Any) -> np.ndarray:
    e = _exp(np.asarray(s, np.float64) - shift)
    return _divide(e, e.sum())


def _fixed(s: np.ndarray, seg: np.ndarray, count: int) -> np.ndarray:
    """Ids from `count` on are dropped by the segment sums and clamped by the indexing."""
    if count < 1 or not np.any(seg < count):
        return np.full(len(s), np.nan)
    s = np.asarray(s, np.float64)
    kept, index = seg < count, np.minimum(seg, count - 1)
    m = np.array([max(s[kept & (seg == k)], default=-np.inf) for k in index])
    with np.errstate(invalid="ignore"):
        e = _exp(s - m)
    return _divide(e, np.array([e[kept & (seg == k)].sum() for k in index]))


Model = Callable[[np.ndarray, np.ndarray, int], np.ndarray]

WRONG_MODELS: dict[str, tuple[Model, ...]] = {
    "softmax/global-sum": (
        lambda s, seg, k: _over_all(s, 0.0),
        lambda s, seg, k: _over_all(s, s.max()),
        lambda s, seg, k: _over_all(s, _maxima(s, seg)),
    ),
    "softmax/no-max": (
        lambda s, seg, k: _shifted(s, seg, 0.0),
        lambda s, seg, k: np.nan_to_num(_shifted(s, seg, 0.0)),
        # A maximum that starts from 0 is none where all scores are negative.
        lambda s, seg, k: _shifted(s, seg, np.maximum(_maxima(s, seg), 0)),
        lambda s, seg, k: np.nan_to_num(_shifted(s, seg, np.maximum(_maxima(s, seg), 0))),
    ),
    "softmax/global-max": (
        lambda s, seg, k: _shifted(s, seg, s.max()),
        lambda s, seg, k: np.nan_to_num(_shifted(s, seg, s.max())),
    ),
    "softmax/num-segments": (
        lambda s, seg, k: _fixed(s, seg, k - 1),
        lambda s, seg, k: _fixed(s, seg, EXAMPLE[2]),
        lambda s, seg, k: _fixed(s, seg, len(s)),
    ),
}
"""For each misconception the results it gives, NaN included: (scores, seg, num_segments)."""


def _has_empty(s: np.ndarray, seg: np.ndarray, k: int) -> bool:
    return len(np.unique(seg)) < k


def _scales_differ(s: np.ndarray, seg: np.ndarray, k: int) -> bool:
    return float(np.ptp(_maxima(s, seg))) > 1000


_SITUATIONS: dict[str, Callable[[np.ndarray, np.ndarray, int], bool]] = {
    "softmax/num-segments": lambda s, seg, k: k > len(s),
    "softmax/empty-segment": _has_empty,
    "softmax/assumes-sorted": lambda s, seg, k: bool(np.any(np.diff(seg) < 0)),
    "softmax/global-max": _scales_differ,
    "softmax/no-max": lambda s, seg, k: float(np.max(np.abs(s))) > 1000,
}
"""What is wrong with an answer that is right everywhere but on such inputs."""


_TELL: dict[str, tuple[str, str, str]] = {
    "softmax/no-max": (
        "the maximum of each segment is not subtracted",
        "in float32 exp(89) is already inf and exp(−104) is 0, so large scores end in inf/inf and "
        "very negative ones in 0/0, both NaN. With the segment's own maximum subtracted, the "
        "largest exponent in every segment is exactly 0.",
        "Compute m = jax.ops.segment_max(scores, seg, num_segments=num_segments) and take exp of "
        "scores − m[seg].",
    ),
    "softmax/global-max": (
        "one and the same number is subtracted in all segments",
        "a segment whose scores lie far below the overall maximum is left with exp of something "
        "very negative, which is 0: its sum is 0, and 0/0 is NaN.",
        "Subtract from each score the maximum of its own segment: jax.ops.segment_max, then "
        "index with seg.",
    ),
    "softmax/global-sum": (
        "the result is normalised over all scores",
        "your result is what you get when each exponential is divided by a sum over all segments: "
        "everything together sums to 1, instead of each segment.",
        "Divide by the sum of the score's own segment: jax.ops.segment_sum, then index with seg.",
    ),
    "softmax/not-gathered": (
        "per-segment values are never brought back to the scores",
        "segment_max and segment_sum return one number per segment, shape (num_segments,), while "
        "scores has shape (N,). The two do not line up entry by entry.",
        "Index with the ids: m[seg] has shape (N,), and its entry i belongs to score i.",
    ),
    "softmax/assumes-sorted": (
        "the ids are taken to be sorted",
        "seg may come in any order: a segment's scores need not stand together. With sorted ids "
        "your function is right, in another order it is not.",
        "Let segment_max and segment_sum find the members of each segment, and index with seg; "
        "the order then never matters.",
    ),
    "softmax/python-loop": (
        "the work is done in a loop, one segment or one score at a time",
        "each pass handles one segment (or one score), so the work grows with their number; a "
        "Python loop also leaves a copy of its body in the traced program for each pass. "
        "segment_max and segment_sum handle all segments in a single operation.",
        "Replace the loop by segment_max, segment_sum and indexing with seg.",
    ),
    "softmax/dense": (
        "an array with an entry for every pair is built",
        "a mask or one-hot array with an entry for every score and every segment (or every two "
        "scores) costs that much memory and work, nearly all of it zeros. Segment operations "
        "need nothing larger than scores.",
        "Replace the mask by segment_max, segment_sum and indexing with seg.",
    ),
    "softmax/num-segments": (
        "num_segments is not passed on, or not static",
        "the shape of a per-segment array is num_segments, and JAX has to know shapes while it "
        "traces. Under jit num_segments must be static, and without it segment_sum needs the "
        "largest id, which is not known then.",
        "Write num_segments=num_segments in both segment operations; if you use jax.jit yourself, "
        "add static_argnames=\"num_segments\".",
    ),
    "softmax/empty-segment": (
        "an empty segment spoils the result",
        "your function is right while every segment has a score. For a segment without any, "
        "segment_max gives −inf and segment_sum gives 0; arithmetic on those (0 · −inf, −inf + "
        "inf, 0/0) is NaN, and a reduction over no elements raises.",
        "Index with seg before you compute further: no score belongs to an empty segment, so its "
        "−inf is never picked.",
    ),
    "softmax/gradient": (
        "the derivative is not right",
        "the values are right, but the gradient with respect to scores is not: something on the "
        "way cuts or bends it (stop_gradient on more than the maximum, rounding, a where that "
        "hides a NaN, a custom rule).",
        "Only the maximum may go through stop_gradient. Compare jax.grad with a difference "
        "quotient.",
    ),
    "softmax/not-traceable": (
        "it does not work under jax.jit",
        "under jit the arguments are tracers, without concrete values: an if, float(), "
        "np.asarray or a loop over their values cannot run.",
        "Keep to jnp and jax.ops operations on scores and seg.",
    ),
    "softmax/other-ops": (
        "more than segment operations, arithmetic and indexing",
        "the task is to use jax.ops.segment_max and jax.ops.segment_sum; sorting, running sums, "
        "matrix products and loops are not needed for this.",
        "Two segment operations and two times indexing with seg are enough.",
    ),
    "softmax/assumes-unique": (
        "the ids are promised to be all different",
        "with unique_indices=True you promise that no id occurs twice. Ids do occur more than "
        "once in a segment, and what the compiler makes of a broken promise is undefined.",
        "Leave unique_indices out.",
    ),
    "softmax/shape": (
        "the result does not have one entry per score",
        "the function must return one array with the shape of scores, (N,).",
        "Print the shapes of what you compute on the way.",
    ),
    "softmax/wrong-value": (
        "the values are not right",
        "they are not exp(s_i − m_k) over the sum of exp(s_j − m_k) in the same segment k.",
        "Work out the example by hand and compare step by step: the maxima, the exponentials, "
        "the sums.",
    ),
}  # fmt: skip

_PROMISE = (
    "with indices_are_sorted=True you promise sorted ids, but seg may come in any order. A CPU "
    "happens to ignore the promise; on other devices a broken one gives undefined results."
)


def _finding(code: str, why: str = "", **details: str) -> Finding:
    headline, reason, next_step = _TELL[code]
    return Finding(code, headline, why=why or reason, next_step=next_step, **details)


# --- inputs -------------------------------------------------------------------------------


def _random(seed: int, length: int, num_segments: int) -> Input:
    """Random scores in [-3, 3) with sorted ids and no empty segment; N ≥ num_segments."""
    generator = np.random.default_rng(seed)
    more = generator.integers(num_segments, size=length - num_segments)
    seg = np.sort(np.concatenate([np.arange(num_segments), more]))
    return _input(generator.uniform(-3, 3, length), seg, num_segments)


def _tolerance(scores: Any, *_: Any) -> float:
    """Rounding in float32, absolute; the result is at most 1.

    A sum of N exponentials is off by N eps, a few operations by some more. Scores are only
    known to eps of their size, which counts where m + log(z) is rounded before the
    difference to the score is taken.
    """
    return EPS32 * (4 * (len(scores) + 4) + 2 * float(np.max(np.abs(scores))))


def _call(given: Input, label: str) -> Call:
    scores, seg, k = given
    kwargs = {"num_segments": k}
    return Call((scores, seg), kwargs, through=(JIT,), otherwise=((),), label=label)


def _arguments(call: Call) -> Input:
    return call.args[0], call.args[1], call.kwargs["num_segments"]


def _given(call: Call) -> str:
    """The input, in full only where it is one of the visible ones."""
    scores, seg, k = _arguments(call)
    if len(scores) != len(_SEG):
        return f"{len(scores)} random scores, num_segments = {k} ({call.label})"
    logs = np.array_equal(scores, EXAMPLE[0])
    shown = f"log({list(_WEIGHTS)})" if logs else brief(scores, 5)
    return f"scores = {shown}, seg = {brief(seg)}, num_segments = {k}"


# --- judging results ----------------------------------------------------------------------


def judge_results(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges values; the first call is the worked example, which every check tries."""
    expected = [oracle(*_arguments(call)) for call in calls]
    right = _right(calls, seen, expected)
    if all(right):
        return
    code = _diagnosis(calls, seen, expected)
    worst = right.index(False)
    for number, fine in enumerate(right):
        if fine:
            continue
        call, observation = calls[number], seen[number]
        if code == "softmax/raises" and observation.problem is not None:
            yield raised("softmax", observation.problem, _given(call), call.label)
            continue
        shown = number == worst
        yield _finding(
            code,
            part=call.label,
            given=_given(call) if shown else "",
            came=_came(observation) if shown else "",
            expected=brief(expected[number]) if shown else "",
        )


def _right(
    calls: Sequence[Call], seen: Sequence[Observation], expected: Sequence[np.ndarray]
) -> list[bool]:
    return [
        observation.returned
        and close(observation.value, wanted, rtol=0, atol=_tolerance(*_arguments(call)))
        for call, observation, wanted in zip(calls, seen, expected, strict=True)
    ]


def _came(observation: Observation) -> str:
    problem = observation.problem
    if problem is None:
        return brief(observation.value)
    where = f", in line {problem.number}: {problem.line}" if problem.line else ""
    return f"{problem.kind}: {first_sentence(problem.message)}{where}"


def _diagnosis(
    calls: Sequence[Call], seen: Sequence[Observation], expected: Sequence[np.ndarray]
) -> str:
    """The code that explains which results are wrong, and how."""
    inputs = [_arguments(call) for call in calls]
    for given, observation in zip(inputs, seen, strict=True):
        code = _misuse(observation, *given)
        if code is not None:
            return code
    models = {
        f"{code} {number}": [_marked(model(*given)) for given in inputs]
        for code, variants in WRONG_MODELS.items()
        for number, model in enumerate(variants)
    }
    came = [_marked(observation.value) for observation in seen]
    atol = max(_tolerance(*given) for given in inputs)
    name = matching(came, models, expected, rtol=0, atol=atol)
    if name is not None:
        return name.split()[0]
    right = _right(calls, seen, expected)
    for code, holds in _SITUATIONS.items():
        there = [holds(*given) for given in inputs]
        wrong_only_there = all(fine or here for fine, here in zip(right, there, strict=True))
        right_elsewhere = any(fine and not here for fine, here in zip(right, there, strict=True))
        if wrong_only_there and right_elsewhere:
            return code
    if not all(observation.returned for observation in seen):
        return "softmax/raises"
    shapes = [getattr(as_float(observation.value), "shape", None) for observation in seen]
    fits = all(shape == wanted.shape for shape, wanted in zip(shapes, expected, strict=True))
    return "softmax/wrong-value" if fits else "softmax/shape"


def _marked(value: Any) -> np.ndarray | None:
    """A result with NaN and infinities as numbers that no probability is, to be comparable."""
    array = as_float(value)
    return None if array is None else np.nan_to_num(array, nan=-10.0, posinf=10.0, neginf=-20.0)


def _misuse(observation: Observation, scores: np.ndarray, seg: np.ndarray, k: int) -> str | None:
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
    if "jit" in observation.through or _is_tracer_error(problem):
        return _untraceable(problem)
    return None


_TRACER_ERRORS = (
    "ConcretizationTypeError", "TracerArrayConversionError", "TracerBoolConversionError",
    "TracerIntegerConversionError", "NonConcreteBooleanIndexError",
)  # fmt: skip


def _is_tracer_error(problem: Problem) -> bool:
    return problem.is_a(*_TRACER_ERRORS) or "Shapes must be 1D sequences" in problem.message


def _untraceable(problem: Problem) -> str:
    """What an exception while tracing says; only its kind and message are certain."""
    if "num_segments" in problem.message:
        return "softmax/num-segments"
    if problem.is_a("NonConcreteBooleanIndexError") or "jnp.nonzero" in problem.message:
        # The scores of one segment are picked out, which takes a loop over the segments.
        return "softmax/python-loop"
    if problem.is_a("TracerArrayConversionError", "TracerBoolConversionError"):
        return "softmax/not-traceable"
    if problem.is_a("TracerIntegerConversionError") or not problem.is_a("ConcretizationTypeError"):
        return "softmax/num-segments" if _is_tracer_error(problem) else "softmax/not-traceable"
    # int(seg.max()) + 1 in place of num_segments.
    return "softmax/num-segments" if "max" in problem.line else "softmax/not-traceable"


# --- checks -------------------------------------------------------------------------------


def check_values(
    answer: Any, *, seed: int | None = None, sizes: Sequence[tuple[int, int]] = ((12, 4),)
) -> None:
    """Checks the values where ids are sorted, no segment is empty and scores are moderate.

    Args:
        answer: the student's `segment_softmax`.
        seed: seed of the random inputs; `None` checks the worked example only.
        sizes: (N, num_segments) of the random inputs.

    Raises:
        graders.report.CheckFailed: if a result is wrong.
    """
    calls = [_call(EXAMPLE, "worked example")]
    if seed is not None:
        calls += [
            _call(_random(seed + i, n, k), f"N = {n}, num_segments = {k}")
            for i, (n, k) in enumerate(sizes)
        ]
    run(_SUBJECT, "values", answer, calls, judge_results)


def check_order(answer: Any, *, seed: int | None = None) -> None:
    """Checks the values where the ids come in any order.

    Args:
        answer: the student's `segment_softmax`.
        seed: seed of a further random input; `None` checks the example only.

    Raises:
        graders.report.CheckFailed: if a result is wrong.
    """
    calls = [_call(EXAMPLE, "sorted ids"), _call(_UNSORTED, "ids in any order")]
    if seed is not None:
        scores, seg, k = _random(seed, 12, 4)
        order = np.random.default_rng(seed).permutation(len(seg))
        if np.all(np.diff(seg[order]) >= 0):
            order = order[::-1]
        calls.append(_call((scores[order], seg[order], k), "ids in random order"))
    run(_SUBJECT, "ids in any order", answer, calls, judge_results)


def check_stable(answer: Any, *, seed: int | None = None) -> None:
    """Checks scores near 1e4, and segments on very different scales.

    Args:
        answer: the student's `segment_softmax`.
        seed: seed of further random inputs; `None` checks the examples only.

    Raises:
        graders.report.CheckFailed: if a result is wrong or not finite.
    """
    calls = [
        _call(EXAMPLE, "small scores"),
        _call(_LARGE, "scores near 10000"),
        _call(_WIDE, "scores far apart in a segment"),
        _call(_SCALES, "segments on different scales"),
    ]
    if seed is not None:
        calls += [_call(given, calls[i].label) for i, given in enumerate(_large(seed), start=1)]
    run(_SUBJECT, "large scores", answer, calls, judge_results)


def _large(seed: int) -> tuple[Input, Input, Input]:
    """Random inputs like `_LARGE`, `_WIDE` and `_SCALES`."""
    scores, seg, k = _random(seed, 12, 4)
    generator = np.random.default_rng(seed)
    # In every segment the first score is high; the last score of the largest one is low.
    low = generator.uniform(size=len(seg)) < 0.3
    low[np.unique(seg, return_index=True)[1]] = False
    low[np.flatnonzero(seg == np.argmax(np.bincount(seg)))[-1]] = True
    levels = generator.permutation([10000.0, 5000.0, 0.0, -10000.0])
    return (
        _input(scores + 10000, seg, k),
        _input(scores + np.where(low, -10000, 10000), seg, k),
        _input(scores + levels[seg], seg, k),
    )


def check_empty(answer: Any, *, seed: int | None = None) -> None:
    """Checks the values where some segments have no score.

    Args:
        answer: the student's `segment_softmax`.
        seed: seed of a further random input; `None` checks the examples only.

    Raises:
        graders.report.CheckFailed: if a result is wrong or not finite.
    """
    calls = [
        _call(EXAMPLE, "no empty segment"),
        _call(_EMPTY_LAST, "the last segments are empty"),
        _call(_EMPTY_FIRST, "the first and a middle segment are empty"),
    ]
    if seed is not None:
        calls.append(_call(_with_gaps(seed), "random segments are empty"))
    run(_SUBJECT, "empty segments", answer, calls, judge_results)


def _with_gaps(seed: int) -> Input:
    """A random input of which three segments in seven are empty."""
    scores, seg, k = _random(seed, 12, 4)
    names = np.sort(np.random.default_rng(seed).permutation(k + 3)[:k])
    return _input(scores, names[seg], k + 3)


def check_jit(answer: Any) -> None:
    """Checks jax.jit with a static num_segments, more segments than scores included.

    Args:
        answer: the student's `segment_softmax`.

    Raises:
        graders.report.CheckFailed: if it raises under jit, or differs.
    """
    calls = [
        Call(given[:2], {"num_segments": given[2]}, through=through, label=label)
        for given, through, label in (
            (EXAMPLE, (JIT,), "jax.jit"),
            (_EMPTY_LAST, (JIT,), "jax.jit"),
            (_MANY, (JIT,), "jax.jit, more segments than scores"),
            (EXAMPLE, (), "a plain call"),
        )
    ]
    run(_SUBJECT, "jax.jit", answer, calls, judge_jit)


def judge_jit(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_jit`: jit agrees with a plain call, and num_segments sets the shapes.

    Other mistakes are left to the checks that are about them.
    """
    *jitted, plain = seen
    if not plain.returned:
        yield from judge_results(calls[-1:], [plain])
        return
    for call, observation in zip(calls, jitted, strict=False):
        if observation.problem is not None:
            yield _finding(
                _misuse(observation, *_arguments(call)) or "softmax/not-traceable",
                part=call.label, given=f"{_given(call)}, through jax.jit",
                came=_came(observation), expected="the same result as without jit",
            )  # fmt: skip
            return
    atol = _tolerance(*_arguments(calls[0]))
    base, under_jit = _marked(plain.value), _marked(jitted[0].value)
    if base is not None and not close(under_jit, base, rtol=0, atol=atol):
        yield _finding(
            "softmax/not-traceable", part=calls[0].label, given=f"{_given(calls[0])}",
            came=brief(jitted[0].value), expected=f"{brief(plain.value)}, as from a plain call",
        )  # fmt: skip
        return
    expected = [oracle(*_arguments(call)) for call in calls[:3]]
    right = _right(calls[:3], jitted, expected)
    if not right[2] and _diagnosis(calls[:3], jitted, expected) == "softmax/num-segments":
        yield _finding(
            "softmax/num-segments", part=calls[2].label, given=_given(calls[2]),
            came=brief(jitted[2].value), expected=brief(expected[2]),
            why="your per-segment arrays do not have num_segments entries. Segment operations "
            "drop ids beyond their size without a word, and indexing beyond it gives a wrong "
            "entry.",
        )  # fmt: skip


_SIZES = ((24, 4), (24, 8), (24, 16), (48, 4), (96, 4))


def check_structure(answer: Any) -> None:
    """Checks the traced program: segment operations, arithmetic and indexing, nothing else.

    Args:
        answer: the student's `segment_softmax`.

    Raises:
        graders.report.CheckFailed: if it has loops, dense masks or promises of sorted ids.
    """
    calls = [
        Call((np.zeros(n, np.float32), np.arange(n, dtype=np.int32) % k), {"num_segments": k},
             through=(TRACE,), label="only segment operations")
        for n, k in _SIZES
    ]  # fmt: skip
    run(_SUBJECT, "structure", answer, calls, judge_structure)


def judge_structure(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_structure`: traces of the sizes in `_SIZES`."""
    programs = [observation.program for observation in seen if observation.program is not None]
    if len(programs) < len(calls):
        index = next(i for i, observation in enumerate(seen) if observation.program is None)
        yield _finding(
            _misuse(seen[index], *_arguments(calls[index])) or "softmax/not-traceable",
            given="tracing your function, as jax.jit does",
            came=_came(seen[index]), expected="a traced program",
        )  # fmt: skip
        return
    work = [_work(program) for program in programs]
    if _grows(work[:3]) or _grows([work[0], *work[3:]]):
        axis, rows = ("num_segments", (0, 1, 2)) if _grows(work[:3]) else ("N", (0, 3, 4))
        sizes = [_SIZES[row][axis == "num_segments"] for row in rows]
        yield _finding(
            "softmax/python-loop",
            given=f"the traced program for {axis} = {', '.join(map(str, sizes))}",
            came=f"{', '.join(str(work[row]) for row in rows)} operations",
            expected="the same number of operations for every size",
        )
        return
    program = programs[2]
    n, k = _SIZES[2]
    largest = max((shape for e in program.walk() for shape in e.shapes), key=_size, default=())
    given = f"the traced program for N = {n}, num_segments = {k}"
    if 2 * _size(largest) >= n * k:
        yield _finding(
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


def _grows(work: Sequence[int]) -> bool:
    """Whether work grows in proportion to a size that doubles twice, not with its logarithm."""
    small, middle, large = work
    return large - middle > 1.5 * (middle - small) > 0


# Each does what segment operations, arithmetic and indexing have to do in this exercise.
_OTHER = frozenset(
    {"sort", "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp", "scan", "while",
     "dot_general", "top_k", "approx_top_k", "argsort"}
)  # fmt: skip


def _operations(program: Program, given: str) -> Iterator[Finding]:
    found = program.primitives()
    other = sorted(found & _OTHER)
    if other:
        yield _finding(
            "softmax/other-ops", given=given, came=f"with {', '.join(other)}",
            expected="segment_max, segment_sum, arithmetic and indexing",
        )  # fmt: skip
        return
    if not found & {"scatter-max", "scatter-min"}:
        reduced = bool(found & {"reduce_max", "argmax"})
        yield _finding(
            "softmax/global-max" if reduced else "softmax/no-max", given=given,
            came="no segment maximum" + (", but a maximum over all scores" if reduced else ""),
            expected="the maximum of each segment, by jax.ops.segment_max",
        )  # fmt: skip
    if "scatter-add" not in found:
        yield _finding(
            "softmax/global-sum" if "reduce_sum" in found else "softmax/other-ops", given=given,
            came="no segment sum", expected="the sum of each segment, by jax.ops.segment_sum",
        )  # fmt: skip
    for promise, code, why in (
        ("indices_are_sorted", "softmax/assumes-sorted", _PROMISE),
        ("unique_indices", "softmax/assumes-unique", ""),
    ):
        broken = [
            e.primitive for e in program.walk()
            if e.primitive in ("scatter-max", "scatter-min", "scatter-add", "gather")
            and e.parameters.get(promise) and e.shapes[0] != ()
        ]  # fmt: skip
        if broken:
            yield _finding(
                code, why=why, given=given, came=f"{promise}=True in {', '.join(broken)}",
                expected=f"{promise}=False, as it is by default",
            )  # fmt: skip


def check_gradient(answer: Any, *, seed: int | None = None) -> None:
    """Checks the derivative with respect to scores.

    Args:
        answer: the student's `segment_softmax`.
        seed: seed of further inputs, with empty segments, equal scores and large scores;
            `None` checks the worked example only.

    Raises:
        graders.report.CheckFailed: if a derivative is wrong, cut or not finite.
    """
    inputs = [(EXAMPLE, "worked example")]
    if seed is not None:
        scores, seg, k = _with_gaps(seed)
        # A maximum that occurs twice, in the largest segment.
        members = np.flatnonzero(seg == np.argmax(np.bincount(seg)))
        scores[members[:2]] = scores.max()
        inputs += [
            ((scores, seg, k), "empty segments and equal scores"),
            (_SCALES, "segments on different scales"),
        ]
    generator = np.random.default_rng(0 if seed is None else seed)
    calls = [_call(given, label) for given, label in inputs]
    # Alike for inputs alike in shape, which share a compilation then.
    weights = {
        len(given[0]): generator.uniform(0.5, 1.5, len(given[0])).astype(np.float32)
        for given, _ in inputs
    }
    for call in list(calls):
        steps = (grad(0, weights=weights[len(call.args[0])]),)
        calls.append(
            Call(call.args, call.kwargs, (*steps, JIT), otherwise=(steps,), label=call.label)
        )
    run(_SUBJECT, "gradients", answer, calls, judge_gradient)


def judge_gradient(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_gradient`: first the values, then as many gradients of a weighted sum."""
    half = len(calls) // 2
    wrong = list(judge_results(calls[:half], seen[:half]))
    if wrong:
        # The derivative of a wrong function is not the point: name what is wrong with it.
        yield from wrong
        return
    for call, slope in zip(calls[half:], seen[half:], strict=True):
        scores, seg, k = _arguments(call)
        if slope.problem is not None:
            code = "not-traceable" if _is_tracer_error(slope.problem) else "gradient"
            yield _finding(
                f"softmax/{code}", part=call.label, given=f"jax.grad at {_given(call)}",
                came=_came(slope), expected="a gradient of shape (N,)",
            )  # fmt: skip
            continue
        weights = np.asarray(call.through[0].weights, np.float64)
        [wanted] = numeric_gradient(
            lambda s, weights=weights, seg=seg, k=k: float(weights @ oracle(s, seg, k)),
            (scores,), (0,), step=1e-5,
        )  # fmt: skip
        # Products of a handful of values as far off as the result; 1e-6 for the quotient.
        if not close(slope.value[0], wanted, rtol=0, atol=4 * _tolerance(scores) + 1e-6):
            yield _finding(
                "softmax/gradient", part=call.label,
                given=f"the gradient of a weighted sum of the result, at {_given(call)}",
                came=brief(slope.value[0]), expected=brief(wanted),
            )  # fmt: skip
