"""Exercise 1's reference, and what each known misunderstanding of it gives. NumPy, float64."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Model = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


def oracle(rewards: Any, dones: Any, gamma: float) -> np.ndarray:
    """The discounted returns, by a loop in float64.

    Args:
        rewards: shape (T,), any real dtype.
        dones: shape (T,), 0 or 1, float, int or bool.
        gamma: the discount, a scalar.

    Returns:
        Shape (T,), float64.
    """
    r, d = np.asarray(rewards, np.float64), np.asarray(dones, np.float64)
    returns, later = np.zeros(len(r)), 0.0
    for t in reversed(range(len(r))):
        returns[t] = later = r[t] + gamma * (1 - d[t]) * later
    return returns


def _shifted(dones: np.ndarray, by: int) -> np.ndarray:
    """Dones moved by one step, a zero moving in."""
    return np.append(0, dones[:-1]) if by > 0 else np.append(dones[1:], 0)


Twist = Callable[[Model], Model]


def _fixed(gamma: float) -> Twist:
    return lambda f: lambda r, d, g: f(r, d, gamma)


# What a misconception makes of a model; applied to the oracle it gives the wrong model, and one
# after the other they give what two misconceptions together come to.
_TWISTS: dict[str, tuple[Twist, ...]] = {
    "returns/forward-scan": (
        lambda f: lambda r, d, g: f(r[::-1], d[::-1], g)[::-1],
        lambda f: lambda r, d, g: f(r[::-1], _shifted(d, 1)[::-1], g)[::-1],
    ),
    "returns/flipped-output": (lambda f: lambda r, d, g: f(r, d, g)[::-1],),
    "returns/carry-only": (
        lambda f: lambda r, d, g: np.asarray(f(r, d, g)[0]),
        lambda f: lambda r, d, g: np.full(len(r), f(r, d, g)[0]),
        # The final carry of a loop that runs forwards is its last entry.
        lambda f: lambda r, d, g: np.asarray(f(r, d, g)[-1]),
    ),
    "returns/exclusive": (
        lambda f: lambda r, d, g: np.append(f(r, d, g)[1:], 0),
        lambda f: lambda r, d, g: f(r, d, g) - r,
    ),
    "returns/ignores-dones": (lambda f: lambda r, d, g: f(r, 0 * d, g),),
    "returns/inverted-dones": (lambda f: lambda r, d, g: f(r, 1 - d, g),),
    "returns/done-off-by-one": (
        lambda f: lambda r, d, g: f(r, _shifted(d, 1), g),
        lambda f: lambda r, d, g: f(r, _shifted(d, -1), g),
        lambda f: lambda r, d, g: f(r, np.roll(d, 1), g),
        lambda f: lambda r, d, g: f(r, np.roll(d, -1), g),
    ),
    "returns/drops-terminal-reward": (lambda f: lambda r, d, g: f(r * (1 - d), d, g),),
    "returns/no-discount": tuple(_fixed(gamma) for gamma in (1.0, 0.99, 0.9, 0.5)),
    "returns/discounts-reward": (lambda f: lambda r, d, g: g * f(r, d, g),),
}

WRONG_MODELS: dict[str, tuple[Model, ...]] = {
    code: tuple(twist(oracle) for twist in twists) for code, twists in _TWISTS.items()
}
"""For each misconception the results it gives, in float64: (rewards, dones, gamma) → G."""


def pairs() -> Iterator[tuple[tuple[str, ...], Model]]:
    """What two misconceptions together give, in either order, with their codes."""
    order = list(_TWISTS)
    for first, second in itertools.permutations(_TWISTS, 2):
        codes = tuple(sorted((first, second), key=order.index))
        for one, other in itertools.product(_TWISTS[first], _TWISTS[second]):
            yield codes, other(one(oracle))
