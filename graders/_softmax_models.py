"""Exercise 3: the right result, and what misconceptions make of it. NumPy only, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graders._softmax_inputs import EXAMPLE
from graders.compare import EPS32


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


SITUATIONS: dict[str, Callable[[np.ndarray, np.ndarray, int], bool]] = {
    "softmax/num-segments": lambda s, seg, k: k > len(s),
    "softmax/empty-segment": _has_empty,
    "softmax/assumes-sorted": lambda s, seg, k: bool(np.any(np.diff(seg) < 0)),
    "softmax/global-max": _scales_differ,
    "softmax/no-max": lambda s, seg, k: float(np.max(np.abs(s))) > 1000,
}
"""What is wrong with an answer that is right everywhere but on such inputs."""


def tolerance(scores: Any, *_: Any) -> float:
    """Rounding in float32, absolute; the result is at most 1.

    A sum of N exponentials is off by N eps, a few operations by some more. Scores are only
    known to eps of their size, which counts where m + log(z) is rounded before the
    difference to the score is taken.
    """
    return EPS32 * (4 * (len(scores) + 4) + 2 * float(np.max(np.abs(scores))))
