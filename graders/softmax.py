"""Exercise 3: softmax within segments, by segment_max and segment_sum.

`segment_softmax(scores, seg, num_segments)` applies a softmax to each group of scores that
share an id. Source: chapter 1, section 1.6 and exercise 3.

The checks compare with a float64 NumPy loop over the segments. What is wrong with an answer
shows in which inputs it gets wrong, in what known misunderstandings would give, and in the
operations of its traced program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graders import _softmax_inputs as inputs_of
from graders._softmax_inputs import EXAMPLE, Input
from graders._softmax_models import SITUATIONS, WRONG_MODELS, oracle, tolerance
from graders._softmax_program import (
    arguments,
    came_of,
    judge_structure,
    misuse,
    needs_values,
    not_traced,
    programs_of,
    traces,
    untraceable,
)
from graders._softmax_words import finding
from graders.checks import raised, run
from graders.compare import as_float, brief, close, matching, numeric_gradient
from graders.findings import Finding
from graders.observe import JIT, Call, Observation, grad

_SUBJECT = "softmax/segment_softmax"


def _call(given: Input, label: str) -> Call:
    scores, seg, k = given
    kwargs = {"num_segments": k}
    return Call((scores, seg), kwargs, through=(JIT,), otherwise=((),), label=label)


def _calls(inputs: Sequence[Input], labels: Sequence[str]) -> list[Call]:
    return [_call(given, label) for given, label in zip(inputs, labels, strict=True)]


def _given(call: Call) -> str:
    """The input, in full only where it is one of the visible ones."""
    scores, seg, k = arguments(call)
    if not any(np.array_equal(scores, visible) for visible, _, _ in inputs_of.LARGE):
        return f"drawn at random: {call.label}; N = {len(scores)}, num_segments = {k}"
    logs = np.array_equal(scores, EXAMPLE[0])
    shown = f"log({list(inputs_of.WEIGHTS)})" if logs else brief(scores, 5)
    return f"scores = {shown}, seg = {brief(seg)}, num_segments = {k}"


# --- judging results ----------------------------------------------------------------------


def judge_results(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges results; every check also tries inputs without what it is about."""
    expected = [oracle(*arguments(call)) for call in calls]
    right = _right(calls, seen, expected)
    if all(right):
        return
    code = _diagnosis(calls, seen, expected)
    worst = right.index(False)
    for number, fine in enumerate(right):
        if fine:
            continue
        call, observation = calls[number], seen[number]
        if code == "softmax/raises":
            if observation.problem is not None:
                yield raised("softmax", observation.problem, _given(call), call.label)
            continue
        shown = number == worst
        yield finding(
            code,
            part=call.label,
            given=_given(call) if shown else "",
            came=came_of(observation) if shown else "",
            expected=brief(expected[number]) if shown else "",
        )


def _right(
    calls: Sequence[Call], seen: Sequence[Observation], expected: Sequence[np.ndarray]
) -> list[bool]:
    return [
        observation.returned
        and close(observation.value, wanted, rtol=0, atol=tolerance(*arguments(call)))
        for call, observation, wanted in zip(calls, seen, expected, strict=True)
    ]


def _diagnosis(
    calls: Sequence[Call], seen: Sequence[Observation], expected: Sequence[np.ndarray]
) -> str:
    """The code that explains which results are wrong, and how."""
    inputs = [arguments(call) for call in calls]
    for given, observation in zip(inputs, seen, strict=True):
        code = misuse(observation, *given)
        if code is not None:
            return code
    returned = [number for number, observation in enumerate(seen) if observation.returned]
    models = {
        f"{code} {number}": [_marked(model(*inputs[i])) for i in returned]
        for code, variants in WRONG_MODELS.items()
        for number, model in enumerate(variants)
    }
    came = [_marked(seen[i].value) for i in returned]
    atol = max(tolerance(*given) for given in inputs)
    name = matching(came, models, [expected[i] for i in returned], rtol=0, atol=atol)
    if name is not None:
        return name.split()[0]
    right = _right(calls, seen, expected)
    for code, holds in SITUATIONS.items():
        there = [holds(*given) for given in inputs]
        wrong_only_there = all(fine or here for fine, here in zip(right, there, strict=True))
        right_elsewhere = any(fine and not here for fine, here in zip(right, there, strict=True))
        if wrong_only_there and right_elsewhere:
            return code
    if len(returned) < len(seen):
        return "softmax/raises"
    shapes = [getattr(as_float(observation.value), "shape", None) for observation in seen]
    fits = all(shape == wanted.shape for shape, wanted in zip(shapes, expected, strict=True))
    return "softmax/wrong-value" if fits else "softmax/shape"


def _marked(value: Any) -> np.ndarray | None:
    """A result with NaN and infinities as numbers that no probability is, to be comparable."""
    array = as_float(value)
    return None if array is None else np.nan_to_num(array, nan=-10.0, posinf=10.0, neginf=-20.0)


# --- checks -------------------------------------------------------------------------------


def check_values(
    answer: Any, *, seed: int | None = None, sizes: Sequence[tuple[int, int]] = ((12, 4), (1, 1))
) -> None:
    """Checks the values where ids are sorted, no segment is empty and scores are moderate.

    Args:
        answer: the student's `segment_softmax`.
        seed: checks random inputs drawn from this seed; `None` checks the worked example.
        sizes: (N, num_segments) of the random inputs.

    Raises:
        graders.report.CheckFailed: if a result is wrong.
    """
    calls = [_call(EXAMPLE, "worked example")]
    if seed is not None:
        calls = [
            _call(inputs_of.moderate(seed + i, n, k), "random scores")
            for i, (n, k) in enumerate(sizes)
        ]
    run(_SUBJECT, "values", answer, calls, judge_results)


def check_order(answer: Any, *, seed: int | None = None) -> None:
    """Checks the values where the ids come in any order.

    Args:
        answer: the student's `segment_softmax`.
        seed: checks random inputs drawn from this seed; `None` checks the visible ones.

    Raises:
        graders.report.CheckFailed: if a result is wrong.
    """
    inputs = (EXAMPLE, inputs_of.UNSORTED) if seed is None else inputs_of.in_two_orders(seed)
    labels = ("sorted ids", "ids in any order")
    run(_SUBJECT, "ids in any order", answer, _calls(inputs, labels), judge_results)


def check_stable(answer: Any, *, seed: int | None = None) -> None:
    """Checks scores near 1e4, and segments on very different scales.

    Args:
        answer: the student's `segment_softmax`.
        seed: checks random inputs drawn from this seed; `None` checks the visible ones.

    Raises:
        graders.report.CheckFailed: if a result is wrong or not finite.
    """
    inputs = inputs_of.LARGE if seed is None else inputs_of.large(seed)
    labels = (
        "small scores", "scores near 10000", "scores far apart in a segment",
        "segments on different scales",
    )  # fmt: skip
    run(_SUBJECT, "large scores", answer, _calls(inputs, labels), judge_results)


def check_empty(answer: Any, *, seed: int | None = None) -> None:
    """Checks the values where some segments have no score.

    Args:
        answer: the student's `segment_softmax`.
        seed: checks random inputs drawn from this seed; `None` checks the visible ones.

    Raises:
        graders.report.CheckFailed: if a result is wrong or not finite.
    """
    inputs: tuple[Input, ...] = inputs_of.EMPTY
    labels: tuple[str, ...] = (
        "no empty segment", "the last segment is empty", "a middle segment is empty",
        "the first segment is empty",
    )  # fmt: skip
    if seed is not None:
        inputs = (inputs_of.moderate(seed, 12, 4), inputs_of.with_gaps(seed))
        labels = ("no empty segment", "two segments are empty")
    run(_SUBJECT, "empty segments", answer, _calls(inputs, labels), judge_results)


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
            (inputs_of.EMPTY[2], (JIT,), "jax.jit"),
            (inputs_of.MANY, (JIT,), "jax.jit, more segments than scores"),
            (EXAMPLE, (), "a plain call"),
        )
    ]
    run(_SUBJECT, "jax.jit", answer, calls + traces("jax.jit", ids_known=True), judge_jit)


def judge_jit(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_jit`: jit agrees with a plain call, and num_segments sets the shapes.

    Other mistakes are left to the checks that are about them.
    """
    jitted, plain, known = seen[:3], seen[3], programs_of(seen[4:])
    if not plain.returned:
        for found in judge_results(calls[3:4], [plain]):
            yield replace(found, part="")
        return
    for call, observation in zip(calls[:3], jitted, strict=True):
        if observation.problem is not None:
            yield not_traced(
                observation, call, known,
                part=call.label, given=f"{_given(call)}, through jax.jit",
                expected="the same result as without jit",
            )  # fmt: skip
            return
    atol = tolerance(*arguments(calls[0]))
    base, under_jit = _marked(plain.value), _marked(jitted[0].value)
    if base is not None and not close(under_jit, base, rtol=0, atol=atol):
        yield finding(
            "softmax/not-traceable", part=calls[0].label, given=_given(calls[0]),
            came=brief(jitted[0].value), expected=f"{brief(plain.value)}, as from a plain call",
        )  # fmt: skip
        return
    expected = [oracle(*arguments(call)) for call in calls[:3]]
    right = _right(calls[:3], jitted, expected)
    if not right[2] and _diagnosis(calls[:3], jitted, expected) == "softmax/num-segments":
        yield finding(
            "softmax/num-segments", part=calls[2].label, given=_given(calls[2]),
            came=brief(jitted[2].value), expected=brief(expected[2]),
            why="your per-segment arrays do not have num_segments entries. Segment operations "
            "drop ids beyond their size without a word, and indexing beyond it gives a wrong "
            "entry.",
        )  # fmt: skip


def check_structure(answer: Any) -> None:
    """Checks the traced program: segment operations, arithmetic and indexing, nothing else.

    Args:
        answer: the student's `segment_softmax`.

    Raises:
        graders.report.CheckFailed: if it has loops, dense masks or promises of sorted ids.
    """
    label = "only segment operations"
    calls = traces(label) + traces(label, ids_known=True)
    run(_SUBJECT, "structure", answer, calls, judge_structure)


def check_gradient(answer: Any, *, seed: int | None = None) -> None:
    """Checks the derivative with respect to scores.

    Args:
        answer: the student's `segment_softmax`.
        seed: checks random inputs drawn from this seed, with empty segments, equal scores and
            large scores; `None` checks the worked example.

    Raises:
        graders.report.CheckFailed: if a derivative is wrong, cut or not finite.
    """
    inputs: tuple[Input, ...] = (EXAMPLE,)
    labels: tuple[str, ...] = ("worked example",)
    if seed is not None:
        # Of the example's size, so that nothing more has to be compiled.
        small, *large = inputs_of.large(seed, 6, 3)
        scores, seg, k = inputs_of.with_gaps(seed, 6, 3)
        # Half of the scores become equal, so that some segment has its maximum more than once.
        inputs = (small, (np.minimum(scores, np.median(scores)), seg, k), *large)
        labels = ("small scores", "empty segments and equal scores", *["large scores"] * 3)
    calls = _calls(inputs, labels)
    generator = np.random.default_rng(0 if seed is None else seed)
    weights = generator.uniform(0.5, 1.5, len(inputs[0][0])).astype(np.float32)
    steps = (grad(0, weights=weights),)
    slopes = [replace(call, through=(*steps, JIT), otherwise=(steps,)) for call in calls]
    run(_SUBJECT, "gradients", answer, calls + slopes, judge_gradient)


def judge_gradient(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_gradient`: first the values, then as many gradients of a weighted sum."""
    half = len(calls) // 2
    wrong = list(judge_results(calls[:half], seen[:half]))
    if wrong:
        # The derivative of a wrong function is not the point: name what is wrong with it.
        yield from wrong
        return
    for call, slope in zip(calls[half:], seen[half:], strict=True):
        scores, seg, k = arguments(call)
        if slope.problem is not None:
            code = untraceable(slope.problem) if needs_values(slope.problem) else ""
            yield finding(
                code or "softmax/gradient", part=call.label, given=f"jax.grad at {_given(call)}",
                came=came_of(slope), expected="a gradient of shape (N,)",
            )  # fmt: skip
            continue
        weights = np.asarray(call.through[0].weights, np.float64)
        [wanted] = numeric_gradient(
            lambda s, weights=weights, seg=seg, k=k: float(weights @ oracle(s, seg, k)),
            (scores,), (0,), step=1e-5,
        )  # fmt: skip
        # Products of a handful of values as far off as the result; 1e-6 for the quotient.
        came = slope.value[0] if isinstance(slope.value, tuple) and slope.value else slope.value
        if not close(came, wanted, rtol=0, atol=4 * tolerance(scores) + 1e-6):
            yield finding(
                "softmax/gradient", part=call.label,
                given=f"the gradient of a weighted sum of the result, at {_given(call)}",
                came=brief(came), expected=brief(wanted),
            )  # fmt: skip


def show(answer: Any) -> None:
    """Draws the answer's segments beside the right ones, and its traced program.

    Args:
        answer: the student's `segment_softmax`.
    """
    from graders.pictures import softmax as picture

    picture.show(answer)
