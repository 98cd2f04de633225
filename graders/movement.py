"""Operations of a traced program that move data or look it through, by NumPy.

As in `graders.elementwise`, a rule gives what XLA gives to the last bit, or `None` if JAX has
to say: for indices out of bounds, sums of floating-point numbers whose order is XLA's own, and
whatever is rare.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graders.elementwise import BFLOAT16, KIND, TINY, Rule, has_subnormals, moved, open_which

MOST_PLACES = 1000
"""Places that are visited here; for more it pays to compile, and XLA shares them among threads."""

MOST_SUMMED = 32
"""Numbers along one axis that XLA sums one after the other; it splits longer sums up."""

_SMALL = 2.0**24
"""How many times the smallest normal number is far enough from it for a sum."""


def _broadcast(parameters: Mapping[str, Any], array: Any, *_: Any) -> Any:
    sizes = [1] * len(parameters["shape"])
    for dimension, size in zip(parameters["broadcast_dimensions"], array.shape, strict=True):
        sizes[dimension] = size
    return np.broadcast_to(array.reshape(sizes), parameters["shape"])


def _reshape(parameters: Mapping[str, Any], array: Any, *_: Any) -> Any:
    if parameters.get("dimensions") is not None:
        return None
    return array.reshape(parameters["new_sizes"])


def _iota(parameters: Mapping[str, Any], *_: Any) -> Any:
    shape, dimension = parameters["shape"], parameters["dimension"]
    dtype = np.dtype(parameters["dtype"])
    if dtype.kind not in "iu":
        return None
    row = np.arange(shape[dimension], dtype=dtype)
    return _broadcast({"shape": shape, "broadcast_dimensions": (dimension,)}, row)


def _slice(parameters: Mapping[str, Any], array: Any) -> Any:
    starts, limits = parameters["start_indices"], parameters["limit_indices"]
    strides = parameters["strides"] or (1,) * len(starts)
    return array[tuple(map(slice, starts, limits, strides))]


def _window(starts: Sequence[int], sizes: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))


def _clamped(starts: Sequence[Any], sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    return [
        min(max(int(start), 0), whole - size)
        for start, size, whole in zip(starts, sizes, shape, strict=True)
    ]


def _dynamic_slice(parameters: Mapping[str, Any], array: Any, *starts: Any) -> Any:
    sizes = parameters["slice_sizes"]
    if len(starts) != len(sizes):
        return None
    return array[_window(_clamped(starts, sizes, array.shape), sizes)]


def _dynamic_update_slice(
    parameters: Mapping[str, Any], array: Any, update: Any, *starts: Any
) -> Any:
    changed = array.copy()
    changed[_window(_clamped(starts, update.shape, array.shape), update.shape)] = update
    return changed


def _pad(parameters: Mapping[str, Any], array: Any, value: Any) -> Any:
    shape, place = [], []
    for size, sides in zip(array.shape, parameters["padding_config"], strict=True):
        low, high, between = map(int, sides)
        if low < 0 or high < 0 or not size:
            return None
        inner = (size - 1) * (between + 1) + 1
        shape.append(low + inner + high)
        place.append(slice(low, low + inner, between + 1))
    padded = np.full(shape, value, array.dtype)
    padded[tuple(place)] = array
    return padded


def _split(parameters: Mapping[str, Any], array: Any) -> list[Any]:
    return np.split(array, np.cumsum(parameters["sizes"])[:-1], parameters["axis"])


def _unstack(parameters: Mapping[str, Any], array: Any) -> list[Any]:
    return [np.asarray(piece) for piece in np.moveaxis(array, parameters["axis"], 0)]


def _places(
    indices: Any, dimensions: Sequence[int], sizes: Sequence[int], shape: Sequence[int]
) -> Any:
    """Where each window of a gather or scatter starts, [N, dimensions of the operand]."""
    rows = indices.reshape(math.prod(indices.shape[:-1]), indices.shape[-1]).astype(np.int64)
    starts = np.zeros((len(rows), len(shape)), np.int64)
    starts[:, list(dimensions)] = rows
    within = (starts >= 0) & (starts <= np.subtract(shape, sizes))
    return starts if within.all() and len(starts) <= MOST_PLACES else None


def _gather(parameters: Mapping[str, Any], array: Any, indices: Any) -> Any:
    numbers, sizes = parameters["dimension_numbers"], parameters["slice_sizes"]
    if numbers.operand_batching_dims:
        return None
    starts = _places(indices, numbers.start_index_map, sizes, array.shape)
    if starts is None:
        return None
    if all(size == 1 for size in sizes):
        pieces = array[tuple(starts.T)].reshape(len(starts), *sizes)
    else:
        pieces = np.empty((len(starts), *sizes), array.dtype)
        for number, start in enumerate(starts):
            pieces[number] = array[_window(start, sizes)]
    batch = indices.shape[:-1]
    collapsed = numbers.collapsed_slice_dims
    kept = [size for axis, size in enumerate(sizes) if axis not in collapsed]
    first = range(len(batch), len(batch) + len(kept))
    return np.moveaxis(pieces.reshape((*batch, *kept)), first, numbers.offset_dims)


def _scatter(combine: Callable[[Any, Any], Any], exact: Callable[[Any, Any], bool]) -> Rule:
    """A rule for a scatter.

    Args:
        combine: what becomes of a window and its update, which come in the indices' order.
        exact: whether the operand and the updates leave no choice.
    """

    def rule(parameters: Mapping[str, Any], array: Any, indices: Any, updates: Any) -> Any:
        numbers = parameters["dimension_numbers"]
        if numbers.operand_batching_dims or not exact(array, updates):
            return None
        window = numbers.update_window_dims
        shape = iter(updates.shape[axis] for axis in window)
        inserted = numbers.inserted_window_dims
        sizes = [1 if axis in inserted else next(shape) for axis in range(array.ndim)]
        dimensions = numbers.scatter_dims_to_operand_dims
        starts = _places(indices, dimensions, sizes, array.shape)
        if starts is None:
            return None
        last = range(updates.ndim - len(window), updates.ndim)
        pieces = np.moveaxis(updates, window, last).reshape(len(starts), *sizes)
        changed = array.copy()
        for start, piece in zip(starts, pieces, strict=True):
            place = _window(start, sizes)
            changed[place] = combine(changed[place], piece)
        return changed

    return rule


def _exact_sum(*arrays: Any) -> bool:
    """Whether sums are rounded number by number, and none of them can be a subnormal one."""
    for numbers in arrays:
        if numbers.dtype == BFLOAT16:  # XLA may sum such numbers as float32
            return False
        if KIND[numbers.dtype] == "f":
            least = TINY[numbers.dtype] * _SMALL
            if ((np.abs(numbers) < least) & (numbers != 0)).any():
                return False
    return True


def _exact_extreme(array: Any, updates: Any) -> bool:
    if has_subnormals(array) or has_subnormals(updates) or np.isnan(updates).any():
        return False
    zeros = np.signbit(np.concatenate([array[array == 0], updates[updates == 0]]))
    return not (np.isnan(array).any() or zeros.any())


def _reduced(function: Callable[..., Any], kinds: str) -> Rule:
    def rule(parameters: Mapping[str, Any], array: Any) -> Any:
        if KIND[array.dtype] not in kinds or has_subnormals(array):
            return None
        value = function(array, tuple(parameters["axes"]))
        return None if open_which(value) else value

    return rule


def _sum(parameters: Mapping[str, Any], array: Any) -> Any:
    if len(parameters["axes"]) > 1:
        return None
    if not parameters["axes"]:
        return None if has_subnormals(array) else array
    [axis] = parameters["axes"]
    if array.shape[axis] > MOST_SUMMED or array.size > MOST_PLACES:
        return None
    if KIND[array.dtype] not in "iuf" or not _exact_sum(array):
        return None
    rows = np.moveaxis(array, axis, 0)
    total = np.zeros(rows.shape[1:], array.dtype)
    for row in rows:  # one by one, as XLA sums so few
        total = total + row
    return total


def _where_extreme(function: Callable[..., Any]) -> Rule:
    def rule(parameters: Mapping[str, Any], array: Any) -> Any:
        [axis] = parameters["axes"]
        if has_subnormals(array) or np.isnan(array).any():
            return None
        return np.asarray(function(array, axis)).astype(parameters["index_dtype"])

    return rule


def _cumulative_sum(parameters: Mapping[str, Any], array: Any) -> Any:
    if array.dtype.kind not in "iu":
        return None
    axis = parameters["axis"]
    ordered = np.flip(array, axis) if parameters["reverse"] else array
    sums = np.cumsum(ordered, axis, dtype=array.dtype)
    return np.flip(sums, axis) if parameters["reverse"] else sums


def _sort(parameters: Mapping[str, Any], key: Any, *others: Any) -> list[Any] | None:
    if parameters["num_keys"] != 1 or key.dtype.kind not in "biu":
        return None
    axis = parameters["dimension"]
    order = np.argsort(key, axis, kind="stable")
    return [np.take_along_axis(array, order, axis) for array in (key, *others)]


_RULES: dict[str, Rule] = {
    "broadcast_in_dim": _broadcast,
    "reshape": _reshape,
    "squeeze": lambda parameters, x: np.squeeze(x, parameters["dimensions"]),
    "transpose": lambda parameters, x: np.transpose(x, parameters["permutation"]),
    "rev": lambda parameters, x: np.flip(x, parameters["dimensions"]),
    "copy": lambda parameters, x: x,
    "iota": _iota,
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "pad": _pad,
    "concatenate": lambda parameters, *xs: np.concatenate(xs, parameters["dimension"]),
    "stack": lambda parameters, *xs: np.stack(xs, parameters["axis"]),
    "unstack": _unstack,
    "split": _split,
    "gather": _gather,
    "scatter": _scatter(lambda old, new: new, lambda array, updates: True),
    "scatter-add": _scatter(np.add, _exact_sum),
    "scatter-max": _scatter(np.maximum, _exact_extreme),
    "scatter-min": _scatter(np.minimum, _exact_extreme),
    "reduce_or": lambda parameters, x: np.any(x, parameters["axes"]) if x.dtype == bool else None,
    "reduce_and": lambda parameters, x: np.all(x, parameters["axes"]) if x.dtype == bool else None,
    "reduce_sum": _sum,
    "reduce_max": _reduced(np.max, "biuf"),
    "reduce_min": _reduced(np.min, "biuf"),
    "argmax": _where_extreme(np.argmax),
    "argmin": _where_extreme(np.argmin),
    "cumsum": _cumulative_sum,
    "sort": _sort,
}

RULES: dict[str, Rule] = {name: moved(rule) for name, rule in _RULES.items()}
"""The rules by the primitives' names."""
