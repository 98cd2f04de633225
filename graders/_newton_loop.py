"""Newton's loop for square roots in NumPy: the reference, the wrong models and the inputs.

Start at x = a; while |x² − a| ≥ 1e-6·a and k < 30: x ← (x + a/x)/2, k ← k + 1.
Source: chapter 1, exercise 2.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

BOUND = 30
"""Most steps that the loop may take."""

TOLERANCE = 1e-6
"""The loop has converged once |x² − a| is below this times a."""

_GREY = 0.5
"""How far a residual must stay from a threshold, in units of 1e-6·a, for the count to be certain.

In float32 an iterate is off by at most 0.75 eps and its square by 0.5 eps more, so the residual
is off by at most 2 · 0.75 + 0.5 = 2 eps·a = 0.24e-6·a, however the compiler fuses and rounds.
Twice that is kept clear, and float64 then counts the same.
"""

Threshold = Callable[[float], float]
"""For a the size below which |x² − a| counts as converged."""


@dataclass(frozen=True)
class Run:
    """What the loop gives for one a.

    Attributes:
        x: the last iterate.
        k: the number of steps.
        clear: whether no rounding can change k.
        last: the residual that called for the last step, in units of 1e-6·a; inf if k is 0.
        final: the residual of x in the same unit.
    """

    x: float
    k: int
    clear: bool = True
    last: float = np.inf
    final: float = 0.0


def reference(a: float) -> Run:
    """The loop as the exercise states it, counted in float32.

    Args:
        a: a float32 number, also a negative one, for which k is 30.

    Returns:
        The run; `x` comes from a loop in float64.
    """
    return follow(a, lambda a: TOLERANCE * a)


def follow(a: float, threshold: Threshold) -> Run:
    """Newton's loop with any convergence test |x² − a| < threshold(a).

    Args:
        a: a float32 number.
        threshold: gives the size below which the loop has converged.

    Returns:
        The run, with k from a loop in float32; `clear` if one in float64 agrees and no residual
        of either comes near the threshold.
    """
    single, double = (_loop(a, dtype, threshold(float(a))) for dtype in (np.float32, np.float64))
    return Run(
        x=double.x, k=single.k, clear=single.clear and double.clear and single.k == double.k,
        last=double.last, final=double.final,
    )  # fmt: skip


def _loop(value: float, dtype: type[np.floating], threshold: float) -> Run:
    a = x = dtype(value)
    k, clear, last = 0, True, np.inf
    with np.errstate(divide="ignore", over="ignore"):
        while True:
            residual = float(abs(x * x - a))
            unit = TOLERANCE * abs(float(a))
            clear = clear and abs(residual - threshold) > _GREY * unit
            if not (residual >= threshold and k < BOUND):
                return Run(float(x), k, clear, last, residual / unit)
            last = residual / unit
            x, k = dtype(0.5) * (x + a / x), k + 1


Model = Callable[[float], Run]


def _recount(change: Callable[[int], int]) -> Model:
    """The right iterates with another count."""

    def model(a: float) -> Run:
        run = reference(a)
        return Run(run.x, change(run.k))

    return model


def _compare(threshold: Threshold) -> Model:
    return lambda a: follow(a, threshold)


WRONG_MODELS: dict[str, tuple[Model, ...]] = {
    "newton/absolute-tolerance": (
        _compare(lambda a: TOLERANCE),
        _compare(lambda a: TOLERANCE * max(a, 1.0)),
        _compare(lambda a: TOLERANCE * (1.0 + a)),
        # What jnp.isclose(x * x, a, rtol=1e-6) adds unasked.
        _compare(lambda a: 1e-8 + TOLERANCE * a),
    ),
    "newton/counts-idle-steps": (_recount(lambda k: BOUND), _recount(lambda k: BOUND - k)),
    "newton/count-off-by-one": (
        _recount(lambda k: k + 1),
        _recount(lambda k: k - 1),
        _recount(lambda k: max(k - 1, 0)),
        # The test comes after the step, so that there is always one.
        _recount(lambda k: max(k, 1)),
    ),
}
"""For each misconception about the count what it gives for a positive a."""


_KINDS: tuple[Callable[[float, Run], bool], ...] = (
    # Here 1e-8, which jnp.isclose adds, is a thousand times the tolerance.
    lambda a, run: a < 1e-5 and run.last < 900,
    lambda a, run: 1e-3 < a < 0.3,
    lambda a, run: a > 1e4,
    # A test twice as coarse stops before this last step, with an x that is still good enough, …
    lambda a, run: 1.5 < run.last < 1.62,
    # … one ten times as coarse before this one, with an x that is not, …
    lambda a, run: 4.5 < run.last < 8,
    # … and one a tenth as coarse takes one more.
    lambda a, run: 0.36 < run.final < 0.5,
)


def draw(seed: int, count: int) -> list[np.ndarray]:
    """Random a from 1e-6 to 1e6, each with a count that is certain and |a − 1| ≥ 2e-3.

    Nearer to 1 the derivative of what the loop gives differs from 1/(2√a) by up to 1e-3.

    Args:
        seed: seed of the random numbers.
        count: how many. The first six are chosen to tell convergence tests apart.

    Returns:
        Scalar float32 arrays.
    """
    return list(_draw(seed, count))


@functools.cache  # every notebook is given the same
def _draw(seed: int, count: int) -> tuple[np.ndarray, ...]:
    candidates = _candidates(np.random.default_rng(seed))
    kinds = itertools.chain(_KINDS, itertools.repeat(lambda a, run: True))
    return tuple(
        next(a for a, run in candidates if fits(float(a), run))
        for _, fits in zip(range(count), kinds, strict=False)
    )


def _candidates(generator: np.random.Generator) -> Iterator[tuple[np.ndarray, Run]]:
    while True:
        a = np.asarray(10 ** generator.uniform(-6, 6), np.float32)
        run = reference(float(a))
        if run.clear and abs(float(a) - 1) >= 2e-3:
            yield a, run
