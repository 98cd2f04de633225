"""Exercise 3: the inputs of its checks, visible and random."""

from __future__ import annotations

from typing import Any

import numpy as np

Input = tuple[np.ndarray, np.ndarray, int]
"""scores, shape (N,), float32; seg, shape (N,), int32; num_segments."""


def make(scores: Any, seg: Any, num_segments: int) -> Input:
    """An input from anything that NumPy takes."""
    return np.asarray(scores, np.float32), np.asarray(seg, np.int32), num_segments


WEIGHTS = (1, 3, 2, 1, 1, 2)

EXAMPLE = make(np.log(WEIGHTS), (0, 0, 1, 2, 2, 2), 3)
"""The worked example: the softmax of log(v) is v over its segment's sum, here
1/4, 3/4, 1, 1/4, 1/4, 1/2."""

UNSORTED = make(EXAMPLE[0], (2, 0, 2, 1, 0, 2), 3)

EMPTY = (EXAMPLE, *(make(EXAMPLE[0], [a] * 3 + [b] * 3, 3) for a, b in ((0, 1), (0, 2), (1, 2))))
"""No segment is empty, then the last, the middle, the first."""

MANY = make(EXAMPLE[0], (0, 0, 4, 7, 7, 7), 9)
"""More segments than scores."""

LARGE = (
    EXAMPLE,
    make((10000, 10001, 9999, 10001, 10001, 10000), EXAMPLE[1], 3),
    make((10000, -10000, 10000, 9999, 10000, -10000), EXAMPLE[1], 3),
    make((10000, 10001, 0, -10000, -10000, -10001), EXAMPLE[1], 3),
)
"""Small scores, large ones, far apart within a segment, and segments on different scales."""


def moderate(seed: int, length: int, num_segments: int) -> Input:
    """Random scores in [-3, 3) with sorted ids and no empty segment; N ≥ num_segments."""
    generator = np.random.default_rng(seed)
    more = generator.integers(num_segments, size=length - num_segments)
    seg = np.sort(np.concatenate([np.arange(num_segments), more]))
    return make(generator.uniform(-3, 3, length), seg, num_segments)


def in_two_orders(seed: int) -> tuple[Input, Input]:
    """A random input, and the same with its entries in another order."""
    scores, seg, k = moderate(seed, 12, 4)
    order = np.random.default_rng(seed).permutation(len(seg))
    if np.all(np.diff(seg[order]) >= 0):
        order = order[::-1]
    return (scores, seg, k), (scores[order], seg[order], k)


def large(seed: int, length: int = 12, num_segments: int = 4) -> tuple[Input, ...]:
    """Random inputs like those of `LARGE`; num_segments from 2 to 4, at least one more score."""
    scores, seg, k = moderate(seed, length, num_segments)
    generator = np.random.default_rng(seed)
    # In every segment the first score is high; the last score of the largest one is low.
    low = generator.uniform(size=len(seg)) < 0.3
    low[np.unique(seg, return_index=True)[1]] = False
    low[np.flatnonzero(seg == np.argmax(np.bincount(seg)))[-1]] = True
    levels = generator.permutation([10000.0, -10000.0, 0.0, 5000.0][:k])
    return (
        (scores, seg, k),
        make(scores + 10000, seg, k),
        make(scores + np.where(low, -10000, 10000), seg, k),
        make(scores + levels[seg], seg, k),
    )


def with_gaps(seed: int, length: int = 12, num_segments: int = 4) -> Input:
    """A random input in which half of the segments, rounded down, are empty."""
    filled = (num_segments + 1) // 2
    scores, seg, _ = moderate(seed, length, filled)
    names = np.sort(np.random.default_rng(seed).permutation(num_segments)[:filled])
    return make(scores, names[seg], num_segments)
