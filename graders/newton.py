"""Exercise 2: Newton's method for square roots, as a bounded scan and as a while loop.

`newton_sqrt_scan(a)` and `newton_sqrt_while(a)` return `(x, k)`, the root and the number of
steps. Source: chapter 1, sections 1.4 and 1.5 and exercise 2.

A student's while loop may have no end, and nothing can interrupt a compiled one. So both
functions are observed through `watch`, which bounds every while loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from graders import checks
from graders._newton_loop import BOUND, WRONG_MODELS, Model, draw, reference
from graders._newton_words import TELL
from graders.compare import as_float, brief, close
from graders.findings import Finding
from graders.jaxprs import Program
from graders.observe import TRACE, Call, Observation, Problem, grad, vmap, watch

Version = Literal["scan", "while"]

EXAMPLES = (2.0, 9.0, 0.25, 1e4, 1e-4, 1.0)
"""What the visible checks try. All counts are certain; the worked example comes first."""

SLOPES = (2.0, 0.25, 1e4, 1e-6, 1e6)
"""Where the visible check takes the derivative."""

_HOPELESS = (-1.0, -2.0)
"""Without a real root. At −1 rearranged updates end in NaN, at −2 they go on for ever."""

_RTOL = 1e-6
"""Of x, as the task has it. With a residual below 0.5e-6·a, which all inputs here keep to, x is
off by less than 0.25e-6 of its size, and by one rounding more, 0.12e-6."""

_GRADIENT_RTOL = 1e-4
"""Of the derivative, as the task has it: one Newton step behind x, it is off by less than 5e-5
where |a − 1| ≥ 2e-3."""

_WATCH = watch(2 * BOUND + 4)
"""Lets a loop run far enough past 30 steps to see that it does not stop there."""


def _subject(version: Version) -> str:
    return f"newton/newton_sqrt_{version}"


def _call(a: Any, version: Version, label: str = "") -> Call:
    """Watched; a scan version that cannot be traced still shows its values by a plain call.

    A while version never gets one: its loop might not end.
    """
    otherwise = ((),) if version == "scan" else ()
    return Call((np.asarray(a, np.float32),), through=(_WATCH,), otherwise=otherwise,
                label=label or f"a = {float(a):g}")  # fmt: skip


def _calls(version: Version, examples: Sequence[float], seed: int | None, count: int) -> list[Call]:
    calls = [_call(a, version) for a in examples]
    if seed is not None:
        calls += [_call(a, version, _RANDOM) for a in draw(seed, count)]
    return calls


_RANDOM = "random a"


def _given(call: Call) -> str:
    """The input; of a random one only its size."""
    a = float(call.args[0])
    return f"a random a near {a:.0e}" if call.label == _RANDOM else f"a = {a:g}"


# --- what checks share --------------------------------------------------------------------


@dataclass(frozen=True)
class _Case:
    """A call that returned a pair (x, k)."""

    call: Call
    seen: Observation
    x: float
    k: float

    @property
    def a(self) -> float:
        return float(self.call.args[0])

    @property
    def counts(self) -> bool:
        return self.k == reference(self.a).k

    @property
    def finds(self) -> bool:
        return close(self.x, np.sqrt(self.a), rtol=_RTOL)

    @property
    def endless(self) -> bool:
        """Whether a while loop had to be stopped."""
        return any(
            event.primitive == "while" and not np.all(event.details["finished"])
            for event in self.seen.events
        )


def _finding(code: str, **details: str) -> Finding:
    headline, why, next_step = TELL[code]
    return Finding(code, headline, why=why, next_step=next_step, **details)


def _cases(calls: Sequence[Call], seen: Sequence[Observation]) -> tuple[list[_Case], list[Finding]]:
    """The calls that returned a pair, and findings for those that did not."""
    cases, findings = [], []
    for call, observation in zip(calls, seen, strict=True):
        if observation.problem is not None:
            findings.append(_raised(observation.problem, _given(call), call.label))
        elif (pair := _pair(observation.value, ())) is None:
            findings.append(_misfit(observation.value, _given(call), call.label))
        else:
            cases.append(_Case(call, observation, float(pair[0]), float(pair[1])))
    return cases, findings


def _pair(value: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray] | None:
    """(x, k) in float64, or `None` if the value is not a pair of numbers of that shape."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        return None
    x, k = as_float(value[0]), as_float(value[1])
    # An integer x is a count: the two have changed places.
    integer = np.asarray(value[0]).dtype.kind in "iub"
    if x is None or k is None or x.shape != shape or k.shape != shape or integer:
        return None
    return x, k


def _misfit(value: Any, given: str, part: str) -> Finding:
    if isinstance(value, tuple | list):
        inner = ", ".join(_kind(item) for item in value[:3]) + (", …" if len(value) > 3 else "")
        came = f"a {type(value).__name__} of {len(value)}: {inner}"
    else:
        came = _kind(value)
    return _finding("newton/shape", given=given, came=came, part=part,
                    expected="(x, k): a float and an integer, both of shape ()")  # fmt: skip


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return type(value).__name__


_TRACER_ERRORS = (
    "ConcretizationTypeError", "TracerArrayConversionError", "TracerBoolConversionError",
    "TracerIntegerConversionError", "NonConcreteBooleanIndexError",
)  # fmt: skip


def _raised(problem: Problem, given: str, part: str, through: str = "jax.jit") -> Finding:
    """The finding for a call that raises where it should return."""
    if not problem.is_a(*_TRACER_ERRORS):
        return checks.raised("newton", problem, given, part)
    return _finding(
        "newton/not-traceable", given=f"{given}, through {through}", came=checks.told(problem),
        expected="the pair (x, k)", part=part,
    )  # fmt: skip


_ROOTS = frozenset({"sqrt", "rsqrt", "cbrt"})
_EXPONENTIALS = frozenset({"exp", "exp2", "expm1"})
_LOGARITHMS = frozenset({"log", "log2", "log1p"})


def _shortcuts(program: Program | None) -> list[str]:
    """The operations of a program that take a root."""
    if program is None:
        return []
    names = program.primitives()
    found = names & _ROOTS
    if names & _EXPONENTIALS and names & _LOGARITHMS:
        found |= names & (_EXPONENTIALS | _LOGARITHMS)
    return sorted(found | ({"pow"} if _broken_power(program, looping=False) else set()))


def _broken_power(program: Program, *, looping: bool) -> bool:
    """Whether something is raised to a power that is no whole number; x ** 2.0 is fine.

    An exponent that is not a constant of the program counts where no loop does the work.
    """
    for equation in program.equations:
        if equation.primitive == "pow":
            exponent = equation.parameters.get("exponent")
            if not (looping if exponent is None else _is_whole(str(exponent))):
                return True
        inside = looping or equation.primitive in ("scan", "while")
        if any(_broken_power(inner, looping=inside) for inner in equation.inner):
            return True
    return False


def _is_whole(text: str) -> bool:
    try:
        return float(text).is_integer()
    except ValueError:
        return False


def _diagnose(cases: Sequence[_Case]) -> str:
    """The misconception behind results of which some are wrong."""
    if any(_shortcuts(case.seen.program) for case in cases):
        return "newton/sqrt-shortcut"
    for code, models in WRONG_MODELS.items():
        if any(_explains(model, cases) for model in models):
            return code
    if not all(case.finds for case in cases):
        return "newton/wrong-root"
    if any(case.endless or case.k > BOUND + 1 for case in cases):
        return "newton/unbounded"
    return "newton/wrong-count"


def _explains(model: Model, cases: Sequence[_Case]) -> bool:
    """Whether a wrong model gives these results, wherever it does not hang on a rounding."""
    certain = [(case, run) for case in cases if (run := model(case.a)).clear]
    return all(
        case.k == run.k and close(case.x, run.x, rtol=_RTOL) for case, run in certain
    ) and any(run.k != reference(case.a).k for case, run in certain)


def _told(case: _Case) -> str:
    k = int(case.k) if case.k.is_integer() else case.k
    text = f"x = {brief(case.x, 7)}, k = {k}"
    return text + f" when the check stopped the loop after {_WATCH.limit} steps" * case.endless


# --- checks -------------------------------------------------------------------------------


def check_root(answer: Any, version: Version, *, seed: int | None = None, count: int = 8) -> None:
    """Checks x, the square root, on the examples and on random inputs.

    Args:
        answer: the student's function.
        version: `"scan"` or `"while"`.
        seed: seed of the random inputs; `None` checks the examples only.
        count: the number of random inputs.

    Raises:
        graders.report.CheckFailed: if an x is off by more than one part in a million.
    """
    checks.run(_subject(version), "the root x", answer,
               _calls(version, EXAMPLES, seed, count), judge_root)  # fmt: skip


def judge_root(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_root`."""
    cases, findings = _cases(calls, seen)
    yield from findings
    yield from _mistakes([case for case in cases if not case.finds], cases)


def _mistakes(wrong: Sequence[_Case], cases: Sequence[_Case]) -> Iterator[Finding]:
    """A finding for each wrong case, all with the code that explains all cases together."""
    code = _diagnose(cases) if wrong else ""
    for case in wrong:
        right = f"x = {brief(np.sqrt(case.a), 7)}, k = {reference(case.a).k}"
        yield _finding(code, given=_given(case.call), came=_told(case), expected=right,
                       part=case.call.label)  # fmt: skip


def check_count(answer: Any, version: Version, *, seed: int | None = None, count: int = 8) -> None:
    """Checks k, the number of steps, against the same loop in float32 NumPy.

    Args:
        answer: the student's function.
        version: `"scan"` or `"while"`.
        seed: seed of the random inputs; `None` checks the examples only.
        count: the number of random inputs.

    Raises:
        graders.report.CheckFailed: if a count differs.
    """
    checks.run(_subject(version), "the count k", answer,
               _calls(version, EXAMPLES, seed, count), judge_count)  # fmt: skip


def judge_count(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_count`."""
    cases, findings = _cases(calls, seen)
    yield from findings
    yield from _mistakes([case for case in cases if not case.counts], cases)


def check_integer(answer: Any, version: Version) -> None:
    """Checks that k has an integer dtype.

    Args:
        answer: the student's function.
        version: `"scan"` or `"while"`.

    Raises:
        graders.report.CheckFailed: if it has another one.
    """
    checks.run(_subject(version), "k is an integer", answer,
               [_call(EXAMPLES[0], version)], judge_integer)  # fmt: skip


def judge_integer(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_integer`."""
    cases, findings = _cases(calls, seen)
    yield from findings
    for case in cases:
        dtype = np.asarray(case.seen.value[1]).dtype
        if dtype.kind not in "iu":
            yield _finding("newton/float-count", given=_given(case.call),
                           came=f"k of dtype {dtype}", expected="k of an integer dtype",
                           part=case.call.label)  # fmt: skip


def check_bound(answer: Any, version: Version) -> None:
    """Checks that 30 steps are taken, and no more, where there is no root to find.

    Args:
        answer: the student's function.
        version: `"scan"` or `"while"`.

    Raises:
        graders.report.CheckFailed: if k is not 30.
    """
    calls = [Call((np.asarray(a, np.float32),), through=(_WATCH,), label=f"a = {a:g}")
             for a in (*_HOPELESS, EXAMPLES[0])]  # fmt: skip
    checks.run(_subject(version), "the bound of 30 steps", answer, calls, judge_bound)


def judge_bound(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_bound`; the last call, on the worked example, only helps to say why."""
    cases, findings = _cases(calls, seen)
    yield from findings
    healthy = [case for case in cases if case.a > 0]
    hopeless = [case for case in cases if case.a < 0 and (case.k != BOUND or case.endless)]
    # A loop without an end first: it may hide behind one that ends by accident at −1.
    for case in sorted(hopeless, key=lambda case: not case.endless):
        yield _finding(
            _why_unbound(case, healthy), given=_given(case.call), expected=f"k = {BOUND}",
            came=_told(case).partition(", ")[2], part=case.call.label,
        )  # fmt: skip


def _why_unbound(case: _Case, healthy: Sequence[_Case]) -> str:
    if case.endless:
        return "newton/unbounded"
    if _shortcuts(case.seen.program):
        return "newton/sqrt-shortcut"
    root = "" if all(other.counts for other in healthy) else _diagnose(healthy)
    if root in ("newton/wrong-root", "newton/wrong-count"):
        return root
    if case.k > BOUND + 1:
        return "newton/unbounded"
    if case.k in (BOUND - 1, BOUND + 1):
        return "newton/count-off-by-one"
    return root or "newton/early-stop"


def check_structure(answer: Any, version: Version) -> None:
    """Checks the traced program: a scan or a while loop, and no ready-made root.

    Args:
        answer: the student's function.
        version: `"scan"` or `"while"`.

    Raises:
        graders.report.CheckFailed: if the loop is missing or another one.
    """
    a = np.asarray(EXAMPLES[0], np.float32)
    label = "one lax.scan" if version == "scan" else "one lax.while_loop"
    calls = [Call((a,), through=(TRACE,), label=label)]
    if version == "scan":
        calls.append(Call((a,), through=(grad(0, output=0), TRACE), label=label))
    judge = judge_scan if version == "scan" else judge_while
    checks.run(_subject(version), "structure", answer, calls, judge)


def judge_scan(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_structure` of the scan version: its trace, and that of its derivative."""
    yield from _structure(calls[0], seen[0], "scan", seen[1].problem)


def judge_while(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_structure` of the while version."""
    yield from _structure(calls[0], seen[0], "while", None)


_COUNTED = {"scan": "scan", "while": "while loop", "div": "division"}


def _structure(
    call: Call, seen: Observation, loop: str, slope: Problem | None
) -> Iterator[Finding]:
    if seen.program is None:
        if seen.problem is not None:
            yield _raised(seen.problem, _given(call), call.label)
        return
    counts = {words: seen.program.count(name) for name, words in _COUNTED.items()}
    wanted = f"one {_COUNTED[loop]}"
    details = {
        "given": "the traced program",
        "came": ", ".join(f"{n} {words}{'s' * (n != 1)}" for words, n in counts.items()),
        "expected": wanted,
        "part": call.label,
    }
    if shortcuts := _shortcuts(seen.program):
        details |= {"came": ", ".join(shortcuts), "expected": f"{wanted}, and no root"}
        yield _finding("newton/sqrt-shortcut", **details)
    if loop == "scan" and slope is not None and _is_reverse(slope):
        yield _finding("newton/not-differentiable", **details)
    # A loop that is there but has its steps written out beside it does not do the work.
    elif not _does_the_work(seen.program, loop) and not shortcuts:
        yield _finding(f"newton/no-{loop}", **details)


def _does_the_work(program: Program, loop: str) -> bool:
    lengths = [equation.parameters.get("length") for equation in program.find(loop)]
    return any(length != 1 for length in lengths) and program.count("div") < BOUND // 3


def _is_reverse(problem: Problem) -> bool:
    """Whether this is what JAX raises on reverse mode through a while loop."""
    return problem.message.startswith("Reverse-mode differentiation does not work")


def check_transforms(answer: Any, version: Version, *, seed: int = 3) -> None:
    """Checks that the function works under jit and that vmap gives the same.

    Args:
        answer: the student's function.
        version: `"scan"` or `"while"`.
        seed: seed of the random inputs.

    Raises:
        graders.report.CheckFailed: if it raises under jit or vmap, or differs.
    """
    inputs = np.stack([*(np.float32(a) for a in EXAMPLES), *draw(seed, 2)])
    calls = [Call((np.asarray(a),), through=(_WATCH,), label="jax.jit") for a in inputs]
    calls.append(Call((inputs,), through=(vmap(0), _WATCH), label="jax.vmap"))
    checks.run(_subject(version), "jit and vmap", answer, calls, judge_transforms)


def judge_transforms(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_transforms`: one call for each input, then all of them under vmap."""
    cases, findings = _cases(calls[:-1], seen[:-1])
    yield from findings
    call, batched = calls[-1], seen[-1]
    inputs = call.args[0]
    given = f"a = {brief(inputs[:3])[:-1]}, …]"
    if batched.problem is not None:
        if not findings:
            told = checks.told(batched.problem)
            yield _finding("newton/not-traceable", given=given, came=told, part=call.label)
        return
    rows = _pair(batched.value, inputs.shape)
    if findings or rows is None:
        if not findings:
            yield _misfit(batched.value, given, call.label)
        return
    for case, x, k in zip(cases, *rows, strict=True):
        # A count that is wrong anyway may hang on a rounding, which vmap changes.
        if not close(x, case.x, rtol=_RTOL) or (case.counts and k != case.k):
            yield _finding(
                "newton/not-traceable", given=f"{given}: at {_given(case.call)}", part=call.label,
                came=f"x = {brief(x, 7)}, k = {brief(k)}", expected=f"{_told(case)}, as by itself",
            )  # fmt: skip


def check_gradient(answer: Any, *, seed: int | None = None, count: int = 5) -> None:
    """Checks the derivative of the scan version's x, which is 1/(2√a).

    Args:
        answer: the student's `newton_sqrt_scan`.
        seed: seed of the random inputs; `None` checks the examples only.
        count: the number of random inputs.

    Raises:
        graders.report.CheckFailed: if a derivative is wrong, not finite, or not to be had.
    """
    calls = _calls("scan", SLOPES, seed, count)
    step = grad(0, output=0)
    slopes = [
        Call(call.args, through=(step, _WATCH), otherwise=((step,),), label=call.label)
        for call in calls
    ]
    checks.run(_subject("scan"), "the derivative", answer, [*calls, *slopes], judge_gradient)


def judge_gradient(calls: Sequence[Call], seen: Sequence[Observation]) -> Iterator[Finding]:
    """Judges `check_gradient`: first all values, then all derivatives."""
    half = len(calls) // 2
    cases, findings = _cases(calls[:half], seen[:half])
    yield from findings
    wrong = [case for case in cases if not case.finds]
    # The derivative of a wrong function is not the point: name what is wrong with it.
    yield from _mistakes(wrong, cases)
    if findings or wrong:
        return
    for call, slope in zip(calls[half:], seen[half:], strict=True):
        expected = 0.5 / np.sqrt(float(call.args[0]))
        details = {
            "given": f"{_given(call)}: derivative of x with respect to a",
            "expected": brief(expected, 6),
            "part": call.label,
        }
        if slope.problem is not None:
            problem = slope.problem
            code = "not-differentiable" if _is_reverse(problem) else "gradient"
            if problem.is_a(*_TRACER_ERRORS):
                code = "not-traceable"
            yield _finding(f"newton/{code}", came=checks.told(problem), **details)
        elif not close(slope.value[0], expected, rtol=_GRADIENT_RTOL):
            yield _finding("newton/gradient", came=brief(slope.value[0], 6), **details)


def show(answer: Any, version: Version) -> None:
    """Draws the answer's iterates beside Newton's, and its traced program.

    Args:
        answer: the student's function.
        version: `"scan"` or `"while"`.
    """
    from graders.pictures import newton as picture

    picture.show(answer, version)
