"""Exercise 1: discounted returns by a reverse scan.

`discounted_returns(rewards, dones, gamma)` returns G with
G_t = r_t + γ(1 − d_t)G_{t+1} and G_T = 0. Source: chapter 1, sections 1.2 and 1.5.

The checks observe the student's function and compare it with a float64 NumPy loop, and
where it differs with what each known misunderstanding would give.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np

from graders import checks
from graders._returns_models import WRONG_MODELS, oracle, pairs
from graders._returns_words import TELL
from graders.checks import run
from graders.compare import EPS32, as_float, brief, close, matching, numeric_gradient
from graders.findings import Finding
from graders.jaxprs import Program
from graders.observe import JIT, TRACE, Call, Observation, Problem, grad, vmap

_SUBJECT = "returns/discounted_returns"

EXAMPLES = (
    (np.array([1, 2, 3, 4], np.float32), np.array([0, 1, 0, 1], np.float32), 0.5),
    (np.array([2, 1, -1, 3], np.float32), np.array([0, 1, 1, 0], np.float32), 0.25),
)
"""The worked example (its returns are 2, 2, 5, 4), and one more.

Both together tell every two of the wrong models apart. Each triple is rewards, dones, gamma.
"""

EXAMPLE = EXAMPLES[0]


# --- inputs -------------------------------------------------------------------------------


def _inputs(
    seed: int, lengths: Sequence[int], gammas: Sequence[float]
) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Random rewards in [-1, 1) and dones, one triple per length and gamma.

    From four steps on, an episode ends somewhere before the last step and the last step does
    not end one, so that no misconception stays invisible; from five on, one ends after the
    second step, or two misconceptions together (the flag of the step after, and no reward of its
    own) would look like two others.
    """
    generator = np.random.default_rng(seed)
    inputs = []
    for length in lengths:
        for gamma in gammas:
            rewards = generator.uniform(-1, 1, length).astype(np.float32)
            dones = (generator.uniform(size=length) < 0.2).astype(np.float32)
            if length >= 4:
                end = 1 + int(generator.integers(length - 3))
                dones[max(end, 2) if length > 4 else end] = 1
                dones[-1] = dones[0] = 0
            inputs.append((rewards, dones, gamma))
    return inputs


def _given(call: Call) -> str:
    """The input: the examples in full, of a random one only its size."""
    rewards, dones, gamma = call.args
    for example in EXAMPLES:
        if rewards.shape == example[0].shape and np.array_equal(rewards, example[0]):
            return f"rewards = {brief(rewards)}, dones = {brief(dones)}, gamma = {gamma:g}"
    return f"random rewards and dones with T = {rewards.shape[-1]}, gamma = {gamma:g}"


def _tolerance(rewards: Any, dones: Any, gamma: float) -> float:
    """Rounding of T float32 steps: each adds at most a few eps of the largest partial sum."""
    size = np.max(np.abs(oracle(np.abs(np.asarray(rewards, np.float64)), dones, abs(gamma))))
    return 4 * EPS32 * (len(rewards) + 2) * float(size)


# --- what checks share --------------------------------------------------------------------


def _diagnose(
    calls: Sequence[Call], came: Sequence[Any], expected: Sequence[Any], atol: float
) -> tuple[str, ...]:
    """The misconceptions that explain all results, or the general code."""
    inputs = [
        (np.asarray(r, np.float64), np.asarray(d, np.float64), g)
        for r, d, g in (call.args for call in calls)
    ]
    single = [((code,), model) for code, models in WRONG_MODELS.items() for model in models]
    for codes, model in itertools.chain(single, pairs()):
        try:
            results = [model(*arguments) for arguments in inputs]
        except IndexError:
            continue  # a second misconception about the steps of a single number
        if matching(came, {"this one": results}, expected, rtol=0, atol=atol):
            return codes
    shapes = [() if array is None else array.shape for array in came]
    fits = shapes == [reference.shape for reference in expected]
    return ("returns/wrong-value",) if fits else ("returns/shape",)


def _finding(code: str, **details: str) -> Finding:
    headline, why, next_step = TELL[code]
    return Finding(code, headline, why=why, next_step=next_step, **details)


def _raised(problem: Problem, given: str, part: str) -> Finding:
    """The finding for a plain call that raises, which dtypes that do not fit may be behind."""
    if problem.is_a("TypeError") and re.search("dtype|boolean", problem.message):
        return _finding(
            "returns/dtype", given=given, came=checks.told(problem), expected="a result", part=part
        )
    return checks.raised("returns", problem, given, part)


def _array(value: Any) -> np.ndarray | None:
    """A result in float64, or `None` if it is not one array of real numbers."""
    return as_float(value) if isinstance(value, np.ndarray) else None


def _not_an_array(call: Call, value: Any) -> Finding:
    """The finding for a result that is not one array of numbers."""
    rewards = call.args[0]
    return _finding(
        "returns/shape", given=_given(call), came=_told(value), part=call.label,
        expected=f"one array of shape ({len(rewards)},): {brief(oracle(*call.args))}",
    )  # fmt: skip


def _told(value: Any) -> str:
    if isinstance(value, list | tuple):
        kind, inner = type(value).__name__, ", ".join(brief(item) for item in value[:3])
        return f"a {kind} of {len(value)}: {inner}" + (", …" if len(value) > 3 else "")
    return brief(value)


# --- checks -------------------------------------------------------------------------------


def check_values(
    answer: Any, *, seed: int | None = None, lengths: Sequence[int] = (1, 8),
    gammas: Sequence[float] = (0.9, 0.5),
) -> None:  # fmt: skip
    """Checks the values: the worked example and one like it, then random inputs.

    Args:
        answer: the student's `discounted_returns`.
        seed: seed of the random inputs; `None` checks the two examples only.
        lengths: lengths T of the random inputs.
        gammas: discounts, each tried with every length.

    Raises:
        graders.report.CheckFailed: if a result is wrong.
    """
    labels = ("worked example", "one more like it")
    calls = [_call(*args, label=label) for args, label in zip(EXAMPLES, labels, strict=True)]
    if seed is not None:
        for rewards, dones, gamma in _inputs(seed, lengths, gammas):
            calls.append(_call(rewards, dones, gamma, label=f"T = {len(rewards)}"))
    run(_SUBJECT, "values", answer, calls, judge_values)


def _call(rewards: Any, dones: Any, gamma: float, label: str) -> Call:
    """Compiled if possible: what cannot be traced still shows its values."""
    return Call((rewards, dones, gamma), through=(JIT,), otherwise=((),), label=label)


def judge_values(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_values`, naming the misconception that explains all results."""
    returned = []
    for call, observation in zip(calls, seen, strict=True):
        if observation.problem is not None:
            yield _raised(observation.problem, _given(call), call.label)
        else:
            returned.append((call, observation.value, oracle(*call.args)))
    if not returned:
        return
    atol = max(_tolerance(*call.args) for call, *_ in returned)
    wrong = [
        (call, value, expected)
        for call, value, expected in returned
        if not close(_array(value), expected, rtol=0, atol=atol)
    ]
    if not wrong:
        return
    codes = _diagnose(
        [call for call, *_ in returned],
        [_array(value) for _, value, _ in returned],
        [expected for *_, expected in returned],
        atol,
    )
    # The examples come first: of each code only the first finding is shown.
    for call, value, expected in wrong:
        for code in codes:
            yield _explained(code, codes, call, value, expected)


def _explained(
    code: str, codes: Sequence[str], call: Call, value: Any, expected: np.ndarray
) -> Finding:
    """A finding on one wrong result, saying how far its code explains the result."""
    finding = _finding(
        code, part=call.label, given=_given(call), came=_told(value), expected=brief(expected)
    )
    if code not in WRONG_MODELS:
        return finding
    lead = "Your result is what comes out when"
    if len(codes) > 1:
        [other] = (TELL[other][0] for other in codes if other != code)
        lead = f"Two things together explain your result. One is that {other}; the other, that"
    return replace(finding, why=f"{lead} {finding.why}")


def check_scan(answer: Any) -> None:
    """Checks the structure: one `lax.scan(..., reverse=True)` in the traced program.

    Args:
        answer: the student's `discounted_returns`.

    Raises:
        graders.report.CheckFailed: if there is none, or the program is unrolled.
    """
    calls = [
        Call((np.ones(n, np.float32), np.zeros(n, np.float32), 0.5), through=(TRACE,),
             otherwise=otherwise, label="one reverse lax.scan")
        for n, otherwise in ((8, ()), (16, ()), (32, ()), (8, ((),)))
    ]  # fmt: skip
    run(_SUBJECT, "structure", answer, calls, judge_scan)


def judge_scan(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_scan`: traces of three lengths, each twice as long as the one before.

    The last call falls back to a plain one, and tells what cannot be traced from what fails.
    """
    *traces, plain = seen
    if plain.problem is not None:
        yield _raised(plain.problem, "rewards = ones, dones = zeros, T = 8", calls[0].label)
        return
    programs = [observation.program for observation in traces if observation.program is not None]
    if len(programs) < len(traces):
        yield _not_traceable(traces, "jax.jit", calls[0].label)
        return
    code = _structure(programs)
    if code is not None:
        used = {"scan", "while", "cumsum", "dot_general"} & programs[-1].primitives()
        counts = ", ".join(str(len(list(program.walk()))) for program in programs)
        yield _finding(
            code,
            given="the traced program for T = 8, 16 and 32",
            came=f"{counts} operations, with {', '.join(sorted(used)) or 'no loop'} in them",
            expected="one scan with reverse=True, and as many operations for every T",
        )


def _structure(programs: Sequence[Program]) -> str | None:
    small, middle, large = (len(list(program.walk())) for program in programs)
    # Unrolling costs operations in proportion to T; divide and conquer in proportion to log T.
    if large - middle > 1.5 * (middle - small) > 0:
        return "returns/python-loop"
    scans = programs[-1].find("scan")
    if not scans:
        return "returns/no-scan"
    if not any(scan.parameters.get("reverse") for scan in scans):
        return "returns/not-reverse"
    return None


def _not_traceable(seen: Sequence[Observation], what: str, part: str) -> Finding:
    problem = next(o.problem for o in seen if o.problem is not None)
    return _finding(
        "returns/not-traceable", given=f"a call through {what}", came=checks.told(problem),
        expected="the same result as from a plain call", part=part,
    )  # fmt: skip


def check_transforms(answer: Any, *, seed: int = 1, shape: tuple[int, int] = (3, 8)) -> None:
    """Checks that jit and vmap give the same as calling the function plainly.

    Args:
        answer: the student's `discounted_returns`.
        seed: seed of the random input.
        shape: (B, T), B sequences of T steps.

    Raises:
        graders.report.CheckFailed: if it raises under jit or vmap, or differs.
    """
    batch, length = shape
    inputs = _inputs(seed, [length] * batch, [0.9])
    rewards = np.stack([rewards for rewards, _, _ in inputs])
    dones = np.stack([dones for _, dones, _ in inputs])
    calls = [
        Call((rewards[0], dones[0], 0.9), label="a plain call"),
        Call((rewards[0], dones[0], 0.9), through=(JIT,), label="jax.jit"),
        Call((rewards, dones, 0.9), through=(vmap(0, 0, None), JIT), label="jax.vmap"),
    ]
    run(_SUBJECT, "jit and vmap", answer, calls, judge_transforms)


def judge_transforms(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_transforms`: plainly, under jit and in vmap's first row alike.

    What a plain call gives may be wrong; that is for the other checks to say.
    """
    plain, *others = seen
    if plain.problem is not None:
        yield _raised(plain.problem, _given(calls[0]), calls[0].label)
        return
    reference = _array(plain.value)
    if reference is None:
        # vmap would stack a list, and what it makes of other things says little.
        yield _not_an_array(calls[0], plain.value)
        return
    atol = _tolerance(*calls[0].args)
    for call, observation in zip(calls[1:], others, strict=True):
        if observation.problem is not None:
            yield _not_traceable([observation], call.label, call.label)
            continue
        result = _array(observation.value)
        if call.label == "jax.vmap" and result is not None and result.ndim:
            result = result[0]
        if not close(result, reference, rtol=0, atol=atol):
            yield _finding(
                "returns/not-traceable",
                given=f"{_given(calls[0])}, through {call.label}",
                came=brief(result),
                expected=f"{brief(reference)}, as from a plain call",
                part=call.label,
            )


_DTYPES = (
    ("float32", "bool"), ("float32", "int32"), ("float16", "float32"), ("bfloat16", "bool"),
)  # fmt: skip


def check_dtype(answer: Any) -> None:
    """Checks dtypes: G in the dtype of rewards, whatever the dtype of dones.

    Args:
        answer: the student's `discounted_returns`.

    Raises:
        graders.report.CheckFailed: if a dtype is wrong or a combination raises.
    """
    kinds = {"bfloat16": np.dtype(ml_dtypes.bfloat16)}
    rewards, dones, gamma = EXAMPLE
    calls = [_call(*EXAMPLE, label="float32 rewards, float32 dones")]
    for kind, flag in _DTYPES:
        arguments = rewards.astype(kinds.get(kind, kind)), dones.astype(flag), gamma
        calls.append(_call(*arguments, label=f"{kind} rewards, {flag} dones"))
    run(_SUBJECT, "dtypes", answer, calls, judge_dtype)


def judge_dtype(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_dtype`; each call must agree with the first, all in float32."""
    base = seen[0]
    if all(observation.problem is not None for observation in seen):
        assert base.problem is not None
        yield _raised(base.problem, _given(calls[0]), calls[0].label)
        return
    reference = _array(base.value)
    if base.problem is None and reference is None:
        yield _not_an_array(calls[0], base.value)
        return
    for call, observation in zip(calls, seen, strict=True):
        wanted = str(call.args[0].dtype)
        came, expected = "", f"an array of dtype {wanted}"
        if observation.problem is not None:
            came = checks.told(observation.problem)
        elif (dtype := str(getattr(observation.value, "dtype", "no dtype"))) != wanted:
            came = f"an array of dtype {dtype}"
        # All numbers of the example are exact in eight bits; half a unit leaves room for
        # other orders of summation.
        elif reference is not None and not close(
            observation.value, reference, rtol=2.0**-7, atol=0
        ):
            came, expected = brief(observation.value), f"{brief(reference)}, as with float32"
        if came:
            yield _finding(
                "returns/dtype", given=f"{_given(call)}, with {call.label}", came=came,
                expected=expected, part=call.label,
            )  # fmt: skip


def check_gradient(answer: Any, *, seed: int = 2, length: int = 8) -> None:
    """Checks the derivatives with respect to rewards and gamma.

    Args:
        answer: the student's `discounted_returns`.
        seed: seed of the random input and of the weights of the outputs.
        length: T.

    Raises:
        graders.report.CheckFailed: if a derivative is wrong, cut or not finite.
    """
    [(rewards, dones, gamma)] = _inputs(seed, [length], [0.9])
    weights = np.random.default_rng(seed + 1).uniform(0.5, 1.5, length).astype(np.float32)
    steps = (grad(0, 2, weights=weights),)
    label = "with respect to rewards and gamma"
    calls = [
        _call(rewards, dones, gamma, label=label),
        Call((rewards, dones, gamma), through=(*steps, JIT), otherwise=(steps,), label=label),
    ]
    run(_SUBJECT, "gradients", answer, calls, judge_gradient)


def judge_gradient(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_gradient`: the values themselves, then the gradient of a weighted sum."""
    values, slope = seen
    wrong = list(judge_values(calls[:1], seen[:1]))
    if wrong:
        # The derivative of a wrong function is not the point: name what is wrong with it.
        yield from wrong
        return
    given = _given(calls[1])
    if slope.problem is not None:
        if values.through:
            yield _finding(
                "returns/gradient", given=given, came=checks.told(slope.problem),
                expected="derivatives with respect to rewards and gamma",
            )  # fmt: skip
        else:
            # The values had to be computed plainly: grad meets what jit met.
            yield _not_traceable([slope], "jax.grad", calls[1].label)
        return
    args = calls[1].args
    weights = np.asarray(calls[1].through[0].weights, np.float64)
    reference = numeric_gradient(
        lambda r, d, g: float(np.sum(weights * oracle(r, d, float(g)))), args, (0, 2)
    )
    for name, came, wanted in zip(("rewards", "gamma"), slope.value, reference, strict=True):
        size = float(np.max(np.abs(wanted))) + 1.0
        # One more pass over T steps than the values take, and 1e-9 for the difference quotient.
        if not close(came, wanted, rtol=0, atol=4 * EPS32 * (2 * len(args[0])) * size + 1e-7):
            yield _finding(
                "returns/gradient", given=f"{given}: derivative with respect to {name}",
                came=brief(came), expected=brief(wanted),
            )  # fmt: skip


def show(answer: Any) -> None:
    """Draws the answer's returns beside the right ones, and its traced program.

    Args:
        answer: the student's `discounted_returns`.
    """
    from graders.pictures import returns as picture

    picture.show(answer)
