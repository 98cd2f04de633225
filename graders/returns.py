"""Exercise 1: discounted returns by a reverse scan.

`discounted_returns(rewards, dones, gamma)` returns G with
G_t = r_t + γ(1 − d_t)G_{t+1} and G_T = 0. Source: chapter 1, sections 1.2 and 1.5.

The checks observe the student's function and compare it with a float64 NumPy loop, and
where it differs with what each known misunderstanding would give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from graders.checks import first_sentence, raised, run
from graders.compare import EPS32, as_float, brief, close, matching, numeric_gradient
from graders.findings import Finding
from graders.jaxprs import Program
from graders.observe import JIT, TRACE, Call, Observation, grad, vmap

_SUBJECT = "returns/discounted_returns"

EXAMPLE = (
    np.array([1, 2, 3, 4], np.float32),
    np.array([0, 1, 0, 1], np.float32),
    0.5,
)
"""The worked example: rewards, dones, gamma. The returns are 2, 2, 5, 4."""

_EXAMPLE_TEXT = "rewards = [1, 2, 3, 4], dones = [0, 1, 0, 1], gamma = 0.5"


# --- the reference and the wrong models ---------------------------------------------------


def oracle(rewards: Any, dones: Any, gamma: float) -> np.ndarray:
    """The discounted returns, by a loop in float64.

    Args:
        rewards: shape (T,), any real dtype.
        dones: shape (T,), 0 or 1, float, int or bool.
        gamma: the discount, a scalar.

    Returns:
        Shape (T,), float64.
    """
    return _backward(rewards, dones, gamma, lambda r, d, g, later: r + g * (1 - d) * later)


def _backward(
    rewards: Any, dones: Any, gamma: float, step: Callable[[float, float, float, float], float]
) -> np.ndarray:
    r, d = np.asarray(rewards, np.float64), np.asarray(dones, np.float64)
    out, later = np.zeros(len(r)), 0.0
    for t in reversed(range(len(r))):
        out[t] = later = step(r[t], d[t], gamma, later)
    return out


def _forward(rewards: Any, dones: Any, gamma: float) -> np.ndarray:
    return oracle(rewards[::-1], dones[::-1], gamma)[::-1]


def _shifted(dones: Any, by: int) -> np.ndarray:
    """dones moved by one step, zeros moving in."""
    d = np.asarray(dones, np.float64)
    moved = np.zeros_like(d)
    if by > 0:
        moved[by:] = d[:-by]
    else:
        moved[:by] = d[-by:]
    return moved


Model = Callable[[Any, Any, float], np.ndarray]

WRONG_MODELS: dict[str, tuple[Model, ...]] = {
    "returns/ignores-dones": (lambda r, d, g: oracle(r, np.zeros(len(d)), g),),
    "returns/drops-terminal-reward": (
        lambda r, d, g: _backward(r, d, g, lambda r, d, g, later: (1 - d) * (r + g * later)),
        lambda r, d, g: oracle(r * (1 - d), d, g),
    ),
    "returns/done-off-by-one": (
        lambda r, d, g: oracle(r, _shifted(d, 1), g),
        lambda r, d, g: oracle(r, _shifted(d, -1), g),
        lambda r, d, g: oracle(r, np.roll(d, 1), g),
        lambda r, d, g: oracle(r, np.roll(d, -1), g),
    ),
    "returns/no-discount": (lambda r, d, g: oracle(r, d, 1.0),),
    "returns/discounts-reward": (
        lambda r, d, g: g * oracle(r, d, g),
        lambda r, d, g: oracle(g * np.asarray(r, np.float64), d, g),
    ),
    "returns/exclusive": (
        lambda r, d, g: np.append(oracle(r, d, g)[1:], 0.0),
        lambda r, d, g: g * (1 - np.asarray(d)) * np.append(oracle(r, d, g)[1:], 0.0),
    ),
    "returns/flipped-output": (lambda r, d, g: oracle(r, d, g)[::-1],),
    "returns/forward-scan": (
        _forward,
        lambda r, d, g: _forward(r, _shifted(d, 1), g),
        lambda r, d, g: _forward(r, np.zeros(len(d)), g),
        lambda r, d, g: _forward(r, d, 1.0),
    ),
    "returns/carry-only": (
        lambda r, d, g: oracle(r, d, g)[0],
        lambda r, d, g: np.full(len(r), oracle(r, d, g)[0]),
    ),
}
"""For each misconception the results it gives, in float64: (rewards, dones, gamma) → G."""


_TELL: dict[str, tuple[str, str, str]] = {
    "returns/ignores-dones": (
        "episodes are never cut",
        "your result is what you get when dones is not used: the return of one episode leaks "
        "into the episode before it.",
        "Multiply G_{t+1} by (1 − d_t), so that nothing from after the end of an episode counts.",
    ),
    "returns/drops-terminal-reward": (
        "the reward of the last step of an episode is lost",
        "your result is what you get when (1 − d_t) multiplies the reward r_t too. The step that "
        "ends an episode still earns its reward; only what comes later is cut.",
        "Let (1 − d_t) multiply γ·G_{t+1} and nothing else.",
    ),
    "returns/done-off-by-one": (
        "the done flag of a neighbouring step cuts the return",
        "your result is what you get when d_{t+1} or d_{t−1} stands where d_t belongs.",
        "Scan over rewards and dones together, so that step t sees r_t and d_t.",
    ),
    "returns/no-discount": (
        "gamma is not used",
        "your result is what you get with γ = 1: later rewards count as much as early ones.",
        "Multiply G_{t+1} by gamma once per step.",
    ),
    "returns/discounts-reward": (
        "the reward of the present step is discounted too",
        "your result is what you get when γ multiplies r_t as well as G_{t+1}.",
        "Discount only what comes later: r_t stands outside of the product with gamma.",
    ),
    "returns/exclusive": (
        "each step shows the return of the step after it",
        "your result is what you get when the scan's body emits the carry it received, G_{t+1}, "
        "before r_t is added.",
        "Emit the new carry: return (g, g) where g is G_t.",
    ),
    "returns/flipped-output": (
        "the values are right, but in reversed order",
        "lax.scan with reverse=True already stores the result of step t at position t; flipping "
        "it once more turns it round.",
        "Return the scan's outputs as they come, without [::-1] or jnp.flip.",
    ),
    "returns/forward-scan": (
        "the sum runs from the front instead of from the end",
        "your result is what you get when the carry collects past rewards; a return collects "
        "future ones.",
        "Run the scan from the last step to the first: lax.scan(..., reverse=True).",
    ),
    "returns/carry-only": (
        "one number comes back instead of one per step",
        "lax.scan returns (final carry, outputs). Your result is the final carry, which is G_0.",
        "Return the second item, the stacked outputs.",
    ),
    "returns/python-loop": (
        "the loop is unrolled",
        "the traced program grows with T: a Python loop runs while JAX traces, and every pass "
        "leaves its own copy of the body in the program.",
        "Put the body into a function (carry, x) → (carry, y) and hand it to lax.scan.",
    ),
    "returns/not-reverse": (
        "there is a scan, but it does not run in reverse",
        "flipping the inputs, scanning forwards and flipping back gives the right numbers, with "
        "two copies that reverse=True saves.",
        "Use lax.scan(..., reverse=True) on the arrays as they are.",
    ),
    "returns/no-scan": (
        "there is no lax.scan in the traced program",
        "the task is to express the recurrence as one lax.scan; your program computes it in "
        "another way.",
        "Write G_t as a function of the carry G_{t+1} and of (r_t, d_t), and scan in reverse.",
    ),
    "returns/not-traceable": (
        "it does not work under jax.jit or jax.vmap",
        "under a transformation the arguments are tracers, without concrete values: an if, "
        "float(), np.asarray or a loop over their values cannot run.",
        "Keep to jnp and lax operations on the arguments; use jnp.where instead of if.",
    ),
    "returns/dtype": (
        "the dtypes do not work out",
        "G must have the dtype of rewards, and dones may be float, int or bool. A carry whose "
        "dtype differs from the body's result makes lax.scan raise; a float32 constant turns "
        "float16 into float32.",
        "Start the carry as jnp.zeros((), rewards.dtype) and turn dones into that dtype first.",
    ),
    "returns/gradient": (
        "the derivative is not right",
        "the values are right, but the gradient with respect to rewards or gamma is not: "
        "something on the way cuts or bends it (stop_gradient, rounding, an integer cast, a "
        "custom rule).",
        "Compute G with differentiable operations only and compare jax.grad with a difference "
        "quotient.",
    ),
    "returns/shape": (
        "the result does not have one entry per step",
        "the function must return one array G with the shape of rewards, (T,).",
        "Look at what you return: lax.scan gives the pair (final carry, outputs), and you need "
        "the outputs.",
    ),
    "returns/wrong-value": (
        "the returns are not right",
        "they do not follow G_t = r_t + γ(1 − d_t)G_{t+1} with G_T = 0.",
        "Work out the example by hand from the last step to the first and compare step by step.",
    ),
}  # fmt: skip


def _finding(code: str, **details: str) -> Finding:
    headline, why, next_step = _TELL[code]
    return Finding(code, headline, why=why, next_step=next_step, **details)


# --- inputs -------------------------------------------------------------------------------


def _inputs(
    seed: int, lengths: Sequence[int], gammas: Sequence[float]
) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Random rewards in [-1, 1) and dones, one triple per length and gamma.

    From four steps on, an episode ends somewhere before the last step and the last step does
    not end one, so that no misconception stays invisible.
    """
    generator = np.random.default_rng(seed)
    inputs = []
    for length in lengths:
        for gamma in gammas:
            rewards = generator.uniform(-1, 1, length).astype(np.float32)
            dones = (generator.uniform(size=length) < 0.2).astype(np.float32)
            if length >= 4:
                dones[1 + int(generator.integers(length - 3))] = 1
                dones[-1] = dones[0] = 0
            inputs.append((rewards, dones, gamma))
    return inputs


def _tolerance(rewards: Any, dones: Any, gamma: float, eps: float = EPS32) -> float:
    """Rounding of T float steps: each adds at most a few eps of the largest partial sum."""
    size = np.max(np.abs(oracle(np.abs(np.asarray(rewards, np.float64)), dones, abs(gamma))))
    return 4 * eps * (len(rewards) + 2) * float(size)


# --- checks -------------------------------------------------------------------------------


def check_values(
    answer: Any, *, seed: int | None = None, lengths: Sequence[int] = (1, 8),
    gammas: Sequence[float] = (0.9, 0.5),
) -> None:  # fmt: skip
    """Checks the values: the worked example, then random inputs of several lengths.

    Args:
        answer: the student's `discounted_returns`.
        seed: seed of the random inputs; `None` checks the worked example only.
        lengths: lengths T of the random inputs.
        gammas: discounts, each tried with every length.

    Raises:
        graders.report.CheckFailed: if a result is wrong.
    """
    calls = [_values_call(*EXAMPLE, label="worked example")]
    if seed is not None:
        for rewards, dones, gamma in _inputs(seed, lengths, gammas):
            calls.append(_values_call(rewards, dones, gamma, label=f"T = {len(rewards)}"))
    run(_SUBJECT, "values", answer, calls, judge_values)


def _values_call(rewards: Any, dones: Any, gamma: float, label: str) -> Call:
    return Call((rewards, dones, gamma), through=(JIT,), otherwise=((),), label=label)


def judge_values(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_values`; the first call is the worked example."""
    for call, observation in zip(calls, seen, strict=True):
        if not observation.returned:
            assert observation.problem is not None
            yield raised("returns", observation.problem, _given(call), call.label)
            return
    expected = [oracle(*call.args) for call in calls]
    atol = max(_tolerance(*call.args) for call in calls)
    came = [observation.value for observation in seen]
    right = [close(a, b, rtol=0, atol=atol) for a, b in zip(came, expected, strict=True)]
    if all(right):
        return
    code = _name(calls, came, expected, atol)
    # The worked example is the smallest input; where it is right, a random one must do.
    index = right.index(False)
    for number, fine in enumerate(right):
        if not fine:
            part = calls[number].label
            shown = number == index
            yield _finding(
                code,
                part=part,
                given=_given(calls[index]) if shown else "",
                came=brief(came[index]) if shown else "",
                expected=brief(expected[index]) if shown else "",
            )


def _name(
    calls: Sequence[Call], came: Sequence[Any], expected: Sequence[Any], atol: float
) -> str:
    """The misconception that explains all results, or the general code."""
    models = {
        f"{code} {number}": [model(*call.args) for call in calls]
        for code, variants in WRONG_MODELS.items()
        for number, model in enumerate(variants)
    }
    name = matching(came, models, expected, rtol=0, atol=atol)
    if name is not None:
        return name.split()[0]
    shapes_fit = all(
        (array := as_float(value)) is not None and array.shape == reference.shape
        for value, reference in zip(came, expected, strict=True)
    )
    return "returns/wrong-value" if shapes_fit else "returns/shape"


def _given(call: Call) -> str:
    """The input, in full only where it is the worked example."""
    rewards, dones, gamma = call.args
    if rewards.shape == EXAMPLE[0].shape and np.array_equal(rewards, EXAMPLE[0]):
        return _EXAMPLE_TEXT
    return f"random rewards and dones with T = {rewards.shape[-1]}, gamma = {gamma:g}"


def check_scan(answer: Any) -> None:
    """Checks the structure: one `lax.scan(..., reverse=True)` in the traced program.

    Args:
        answer: the student's `discounted_returns`.

    Raises:
        graders.report.CheckFailed: if there is none, or the program is unrolled.
    """
    calls = [
        Call((np.ones(n, np.float32), np.zeros(n, np.float32), 0.5), through=(TRACE,),
             label="one reverse lax.scan")
        for n in (8, 16, 32)
    ]  # fmt: skip
    run(_SUBJECT, "structure", answer, calls, judge_scan)


def judge_scan(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_scan`: traces of three lengths, each twice as long as the one before."""
    programs = [observation.program for observation in seen]
    if any(program is None for program in programs):
        yield _not_traceable(seen, "jax.jit")
        return
    code = _structure([program for program in programs if program is not None])
    if code is not None:
        primitives = sorted(
            {"scan", "while", "cumsum", "dot_general"} & (programs[-1] or Program()).primitives()
        )
        yield _finding(
            code,
            given="the traced program for T = 8, 16 and 32",
            came=f"{' '.join(str(len(list(p.walk()))) for p in programs if p)} operations"
            + (f", with {', '.join(primitives)}" if primitives else ", without a scan"),
            expected="one scan with reverse=True, and the same number of operations for every T",
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


def _not_traceable(seen: Sequence[Observation], what: str, part: str = "") -> Finding:
    problem = next(
        (observation.problem for observation in seen if observation.problem is not None), None
    )
    came = ""
    if problem is not None:
        line = f", in line {problem.number}: {problem.line}" if problem.line else ""
        came = f"{problem.kind}: {first_sentence(problem.message)}{line}"
    return _finding(
        "returns/not-traceable", given=f"a call through {what}", came=came,
        expected="the same result as without", part=part,
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
        Call((rewards, dones, 0.9), through=(vmap(0, 0, None), JIT), label="jax.vmap"),
        Call((rewards[0], dones[0], 0.9), through=(JIT,), label="jax.jit"),
        Call((rewards[0], dones[0], 0.9), label="a plain call"),
    ]
    run(_SUBJECT, "jit and vmap", answer, calls, judge_transforms)


def judge_transforms(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_transforms`: the first row under vmap, jit and plainly must agree."""
    batched, jitted, plain = seen
    for observation, call in ((jitted, calls[1]), (batched, calls[0])):
        if not observation.returned:
            yield _not_traceable([observation], call.label, call.label)
    if not plain.returned:
        assert plain.problem is not None
        yield raised("returns", plain.problem, _given(calls[2]), calls[2].label)
        return
    reference = as_float(plain.value)
    atol = _tolerance(*calls[2].args)
    if reference is None:
        yield _finding("returns/shape", came=brief(plain.value), part=calls[2].label)
        return
    rows = as_float(batched.value)
    for observation, call, result in (
        (jitted, calls[1], jitted.value),
        (batched, calls[0], None if rows is None or rows.ndim == 0 else rows[0]),
    ):
        if observation.returned and not close(result, reference, rtol=0, atol=atol):
            yield _finding(
                "returns/not-traceable",
                given=f"{_given(call)}, through {call.label}",
                came=brief(result),
                expected=f"{brief(reference)}, as from a plain call",
                part=call.label,
            )


_DTYPES = (
    ("float32", "bool"), ("float32", "int32"), ("float16", "float16"), ("bfloat16", "bool"),
)  # fmt: skip


def check_dtype(answer: Any) -> None:
    """Checks dtypes: G in the dtype of rewards, whatever the dtype of dones.

    Args:
        answer: the student's `discounted_returns`.

    Raises:
        graders.report.CheckFailed: if a dtype is wrong or a combination raises.
    """
    import ml_dtypes

    kinds = {"bfloat16": np.dtype(ml_dtypes.bfloat16)}
    rewards, dones, gamma = EXAMPLE
    calls = [_values_call(*EXAMPLE, label="float32 rewards, float32 dones")]
    for kind, flag in _DTYPES:
        arguments = rewards.astype(kinds.get(kind, kind)), dones.astype(flag), gamma
        calls.append(_values_call(*arguments, label=f"{kind} rewards, {flag} dones"))
    run(_SUBJECT, "dtypes", answer, calls, judge_dtype)


def judge_dtype(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_dtype`; each call must agree with the first, all in float32."""
    base = seen[0]
    if not base.returned:
        assert base.problem is not None
        yield raised("returns", base.problem, _EXAMPLE_TEXT, calls[0].label)
        return
    reference = as_float(base.value)
    for call, observation in zip(calls, seen, strict=True):
        wanted = str(call.args[0].dtype)
        details = {
            "part": call.label,
            "given": f"{_EXAMPLE_TEXT}, with {call.label}",
            "expected": f"an array of dtype {wanted}",
        }
        if not observation.returned:
            assert observation.problem is not None
            problem = observation.problem
            yield _finding(
                "returns/dtype", came=f"{problem.kind}: {first_sentence(problem.message)}", **details
            )
        elif (came := str(getattr(observation.value, "dtype", "no dtype"))) != wanted:
            yield _finding("returns/dtype", came=f"an array of dtype {came}", **details)
        # All numbers of the example are exact in eight bits; half a unit leaves room for
        # other orders of summation.
        elif reference is None or not close(observation.value, reference, rtol=2.0**-7, atol=0):
            details["expected"] = f"{brief(reference)}, as with float32"
            yield _finding("returns/dtype", came=brief(observation.value), **details)


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
    calls = [
        Call((rewards, dones, gamma), through=(*steps, JIT), otherwise=(steps,),
             label="with respect to rewards and gamma"),
        _values_call(rewards, dones, gamma, label="with respect to rewards and gamma"),
    ]  # fmt: skip
    run(_SUBJECT, "gradients", answer, calls, judge_gradient)


def judge_gradient(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_gradient`: the gradient of a weighted sum, then the values themselves."""
    slope, values = seen
    if not values.returned:
        assert values.problem is not None
        yield raised("returns", values.problem, _given(calls[1]), calls[1].label)
        return
    args = calls[1].args
    atol = _tolerance(*args)
    expected = oracle(*args)
    if not close(values.value, expected, rtol=0, atol=atol):
        # The derivative of a wrong function is not the point: name what is wrong with it.
        yield _finding(
            _name(calls[1:], [values.value], [expected], atol), given=_given(calls[1]),
            came=brief(values.value), expected=brief(expected),
        )  # fmt: skip
        return
    weights = np.asarray(calls[0].through[0].weights, np.float64)
    reference = numeric_gradient(
        lambda r, d, g: float(np.sum(weights * oracle(r, d, float(g)))), args, (0, 2)
    )
    if not slope.returned:
        assert slope.problem is not None
        came = f"{slope.problem.kind}: {first_sentence(slope.problem.message)}"
        yield _finding("returns/gradient", given=_given(calls[0]), came=came)
        return
    for name, came, wanted in zip(("rewards", "gamma"), slope.value, reference, strict=True):
        size = float(np.max(np.abs(wanted))) + 1.0
        # One more pass over T steps than the values take, and 1e-9 for the difference quotient.
        if not close(came, wanted, rtol=0, atol=4 * EPS32 * (2 * len(args[0])) * size + 1e-7):
            yield _finding(
                "returns/gradient", given=f"{_given(calls[0])}: derivative with respect to {name}",
                came=brief(came), expected=brief(wanted),
            )  # fmt: skip
