"""The piecewise function of exercise 4: the reference, the wrong models, and their telling.

f(x) = x² for x < 0, sin x for 0 ≤ x < π, x − π for x ≥ π. Source: chapter 1, exercise 4.
Here is what `graders.piecewise` needs to judge results of either of its two functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graders._piecewise_words import finding
from graders.checks import raised, told
from graders.compare import EPS32, as_float, brief, close, matching
from graders.findings import Finding
from graders.observe import Call, Observation

PI32 = np.float32(np.pi)
"""The float32 next to π. A float32 x meets any usual way of writing π here: JAX turns
`jnp.pi`, `np.pi` and `math.pi`, which are Python floats, into the dtype of x to compare."""

REGIONS = ("x < 0", "0 ≤ x < π", "x ≥ π")

INSIDE, NEAR_ZERO, NEAR_PI = "inside the pieces", "at x = 0", "at x = π"
"""Labels of the calls that look at derivatives."""


# --- the reference and the wrong models ---------------------------------------------------

Formula = Callable[[np.ndarray], np.ndarray]

PIECES: tuple[Formula, ...] = (np.square, np.sin, lambda x: x - np.pi)
"""What f is in each region, float64 to float64."""

SLOPES: tuple[Formula, ...] = (lambda x: 2 * x, np.cos, np.ones_like)
"""The derivative of each piece."""

WRONG_MODELS: dict[str, tuple[Formula, ...]] = {
    "piecewise/missing-offset": (lambda x: x,),
    "piecewise/branch-order": PIECES,
}
"""For each misconception what it gives in place of the right piece, region by region."""


BREAKPOINTS = {"piecewise/boundary-zero": (0, 1), "piecewise/boundary-pi": (1, 2)}
"""For each breakpoint's code the regions that meet there."""


def region(x: Any) -> np.ndarray:
    """The number of the piece that x belongs to: 0, 1 or 2, elementwise."""
    x = np.asarray(x, np.float64)
    return (x >= 0).astype(int) + (x >= np.pi)


def oracle(x: Any) -> np.ndarray:
    """f, elementwise, in float64."""
    return _by_region(x, PIECES)


def slope(x: Any) -> np.ndarray:
    """The derivative of f as its pieces have it, elementwise, in float64: f′(0) = f′(π) = 1."""
    return _by_region(x, SLOPES)


def _by_region(x: Any, formulas: Sequence[Formula]) -> np.ndarray:
    x = np.asarray(x, np.float64)
    return np.asarray(np.choose(region(x), [formula(x) for formula in formulas]), np.float64)


def given(x: Any) -> str:
    """An x for a message."""
    value = float(x)
    if value == float(PI32):
        return "x = π, as float32"
    return f"x = {value:.8g}" if abs(value - np.pi) < 1e-3 else f"x = {value:.4g}"


# --- judging values ------------------------------------------------------------------------

# x and π are rounded to float32 and so is the result: half a unit each, of at most |f| + π.
_RTOL, _ATOL = 4 * EPS32, 4 * EPS32 * np.pi


def agree(came: Any, expected: Any) -> bool:
    """Whether values of f agree, up to rounding in float32."""
    return close(came, expected, rtol=_RTOL, atol=_ATOL)


def _matches(came: np.ndarray, expected: np.ndarray) -> np.ndarray:
    return np.array([agree(a, b) for a, b in zip(came, expected, strict=True)], bool)


def misplaced(xs: np.ndarray, came: np.ndarray) -> dict[int, Finding]:
    """What is wrong with values, by region; the first wrong x of a region shows it."""
    expected, regions = oracle(xs), region(xs)
    right = _matches(came, expected)
    found = {}
    for number, name in enumerate(REGIONS):
        bad = (regions == number) & ~right
        if bad.any():
            # At a breakpoint two pieces agree, so that it tells nothing of where a piece is wrong.
            telling = (regions == number) & (np.abs(xs) > 1e-3) & (np.abs(xs - np.pi) > 1e-3)
            everywhere = not (telling & right).any()
            code = _misconception(xs[bad], came[bad], number, everywhere)
            first = int(np.argmax(bad))
            found[number] = finding(
                code, given=given(xs[first]), came=brief(came[first]),
                expected=brief(expected[first]), part=name,
            )  # fmt: skip
    return found


def _misconception(xs: np.ndarray, came: np.ndarray, number: int, everywhere: bool) -> str:
    """The code for wrong values at xs, all of them in one region."""
    if not everywhere:
        # A displaced breakpoint gives part of a region to its neighbour.
        for code, pair in BREAKPOINTS.items():
            for other in pair:
                if number in pair and other != number and _matches(came, PIECES[other](xs)).all():
                    return code
    models = {
        f"{code} {variant}": [formula(xs)]
        for code, formulas in WRONG_MODELS.items()
        for variant, formula in enumerate(formulas)
    }
    name = matching([came], models, [oracle(xs)], rtol=_RTOL, atol=_ATOL)
    return name.split()[0] if name else "piecewise/wrong-value"


def untraced(observation: Observation, where: str = "") -> Finding:
    """The finding for a function that raised, most likely while JAX traced it."""
    problem = observation.problem
    assert problem is not None
    if problem.is_a("ConcretizationTypeError", "TracerIntegerConversionError"):
        # math.sin(x) asks for a number just as `if x < 0` does, but decides nothing.
        decides = re.search(r"\bmath\.", problem.line) is None
        code = "piecewise/python-if" if decides else "piecewise/not-traceable"
    elif problem.is_a("JAXTypeError", "JAXIndexError"):
        code = "piecewise/not-traceable"
    else:
        return raised("piecewise", problem, where)
    return finding(code, given="x as a tracer, without a value", came=told(problem))


# --- judging derivatives -------------------------------------------------------------------


def judge_slopes(
    calls: Sequence[Call], slopes: Sequence[Observation], values: Sequence[Observation]
) -> Iterator[Finding]:
    """Judges derivatives, given the values at the same points.

    The derivative of a function whose values are wrong is not the point: what is wrong with
    the values is told in its place.
    """
    for observation in slopes:
        if not observation.returned:
            problem = observation.problem
            assert problem is not None
            if problem.is_a("JAXTypeError", "JAXIndexError"):
                yield untraced(observation)
            else:
                yield finding("piecewise/gradient", came=told(problem))
            return
    xs = np.concatenate([call.args[0] for call in calls]).astype(np.float64)
    labels = np.repeat([call.label for call in calls], [len(call.args[0]) for call in calls])
    heights = _joined([observation.value for observation in values], xs)
    came = _joined([observation.value[0] for observation in slopes], xs)
    if heights is None or came is None:
        yield finding("piecewise/shape", came=brief(values[0].value), expected="one number per x")
        return
    expected, regions = slope(xs), region(xs)
    right = _slopes_match(came, expected)
    inside = labels == INSIDE
    wrong_values = misplaced(xs[inside], heights[inside])
    broken = set()  # regions about which something is told already
    for index in np.flatnonzero(inside & ~right):
        number = int(regions[index])
        broken.add(number)
        if number in wrong_values:
            yield replace(wrong_values[number], part=INSIDE)
        else:
            yield _slope_finding("piecewise/gradient", xs, came, expected, int(index), INSIDE)
    for part, (code, sides) in zip((NEAR_ZERO, NEAR_PI), BREAKPOINTS.items(), strict=True):
        if broken & set(sides):
            continue
        before, at, after = np.flatnonzero(labels == part)
        for index in (at, before, after):
            if right[index]:
                continue
            [other] = set(sides) - {int(regions[index])}
            swapped = SLOPES[other](xs[index : index + 1])
            fits = _slopes_match(came[index : index + 1], swapped)[0]
            yield _slope_finding(
                code if fits else "piecewise/gradient", xs, came, expected, int(index), part
            )


def _slopes_match(came: np.ndarray, expected: np.ndarray) -> np.ndarray:
    # cos x of a float32 x, written in whatever way, is within a few units of 1.
    return np.array(
        [close(a, b, rtol=8 * EPS32, atol=8 * EPS32) for a, b in zip(came, expected, strict=True)],
        bool,
    )


def _slope_finding(
    code: str, xs: np.ndarray, came: np.ndarray, expected: np.ndarray, index: int, part: str
) -> Finding:
    return finding(
        code, given=f"the derivative at {given(xs[index])}", came=brief(came[index]),
        expected=brief(expected[index]), part=part,
    )  # fmt: skip


def _joined(results: Sequence[Any], xs: np.ndarray) -> np.ndarray | None:
    """All results in one array like xs, or `None` if they do not have its shape."""
    arrays = [as_float(result) for result in results]
    if any(array is None or array.ndim != 1 for array in arrays):
        return None
    joined = np.concatenate([array for array in arrays if array is not None])
    return joined if joined.shape == xs.shape else None
