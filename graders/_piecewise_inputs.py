"""The inputs of exercise 4: which x the checks try, and the calls that try them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graders._piecewise_pieces import INSIDE, NEAR_PI, NEAR_ZERO, PI32
from graders.observe import JIT, Call, Observation, Step, grad

EXAMPLE = (-2.0, np.pi / 2, 4.0)
"""The worked example, one x for each piece. The values are 4, 1 and 4 − π."""

SPREAD = (-0.5, 0.5, 3.0, 7.0)
_AT_ZERO = (-1e-6, 0.0, 1e-6)
# Eight float32 steps beside π: close enough to catch a breakpoint at 3.14159, far enough for
# an index that is computed by a division.
_AT_PI = (PI32 - 8 * np.spacing(PI32), PI32, PI32 + 8 * np.spacing(PI32))
FAR = (-2.0, 0.0, 1.0, 4.0, -50.0, 50.0)


def random_rows(seed: int | None, count: int) -> np.ndarray:
    """(count, 3) float32: in each row an x of each region, well inside of it."""
    if seed is None:
        return np.zeros((0, 3), np.float32)
    low, high = np.array([-3, 0.2, 3.4]), np.array([-0.3, 2.9, 9])
    return np.random.default_rng(seed).uniform(low, high, (count, 3)).astype(np.float32)


def scalars(xs: Any) -> list[np.ndarray]:
    return [np.array(x, np.float32) for x in np.asarray(xs, np.float32).reshape(-1)]


def call_with(x: Any, label: str, *steps: Step) -> Call:
    """A compiled call, or, where x's value is needed while tracing, a plain one."""
    return Call((x,), through=(*steps, JIT), otherwise=(steps,), label=label)


def gradient_calls(seed: int | None, count: int, *steps: Step) -> list[Call]:
    """First the derivatives, then the values, at the same triples of points."""
    triples = [
        *(
            (np.array(row), INSIDE)
            for row in (EXAMPLE, (-0.5, 0.5, 7.0), *random_rows(seed, count))
        ),
        (np.array(_AT_ZERO), NEAR_ZERO),
        (np.array(_AT_PI), NEAR_PI),
    ]
    return [
        call_with(xs.astype(np.float32), label, *steps, *further)
        for further in ((grad(0),), ())
        for xs, label in triples
    ]


def branch_counts(observation: Observation) -> list[int]:
    """The numbers of branches of all conds in the traced program."""
    if observation.program is None:
        return []
    return [int(cond.parameters.get("branches", 0)) for cond in observation.program.find("cond")]
