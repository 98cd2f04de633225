"""Single operations of a traced program, evaluated by NumPy where it gives what XLA gives.

JAX compiles an operation anew for every shape and dtype, which takes milliseconds, and
dispatches it in tens of microseconds; NumPy needs one or two. Only operations are here whose
results are fixed to the last bit: those that IEEE 754 rounds correctly, comparisons, and those
that move data. `apply` leaves everything else to JAX, and subnormal numbers too, because XLA
takes them for zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

DTYPES = frozenset(map(np.dtype, "?bBhHiIqQfd"))
"""The dtypes of operands that `apply` takes."""

_TINY = {dtype: float(np.finfo(dtype).tiny) for dtype in DTYPES if dtype.kind == "f"}

# By the primitive's name: the function, and the kinds of dtype for which it gives what XLA gives.
# For max, min and clamp of floating-point numbers it is open which zero is the greater one.
_FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "add": (np.add, "iuf"),
    "add_any": (np.add, "iuf"),
    "sub": (np.subtract, "iuf"),
    "mul": (np.multiply, "iuf"),
    "square": (np.square, "iuf"),
    "div": (np.divide, "f"),
    "sqrt": (np.sqrt, "f"),
    "max": (np.maximum, "biu"),
    "min": (np.minimum, "biu"),
    "clamp": (lambda low, x, high: np.clip(x, low, high), "iu"),
    "eq": (np.equal, "biuf"),
    "ne": (np.not_equal, "biuf"),
    "lt": (np.less, "biuf"),
    "le": (np.less_equal, "biuf"),
    "gt": (np.greater, "biuf"),
    "ge": (np.greater_equal, "biuf"),
    "and": (np.logical_and, "b"),
    "or": (np.logical_or, "b"),
    "xor": (np.logical_xor, "b"),
    "not": (np.logical_not, "b"),
}
# These see no number in what they move, so that subnormal ones are like others.
_MOVES: dict[str, Callable[..., Any]] = {
    "neg": lambda p, x: np.negative(x),
    "abs": lambda p, x: np.abs(x),
    "select_n": lambda p, which, *cases: _selected(which, cases),
    "broadcast_in_dim": lambda p, x: _broadcast(x, p["shape"], p["broadcast_dimensions"]),
    "squeeze": lambda p, x: np.squeeze(x, p["dimensions"]),
    "transpose": lambda p, x: np.transpose(x, p["permutation"]),
    "copy": lambda p, x: x,
    "reduce_or": lambda p, x: np.any(x, p["axes"]),
    "reduce_and": lambda p, x: np.all(x, p["axes"]),
}
NAMES = frozenset(_FUNCTIONS) | frozenset(_MOVES) | {"integer_pow", "convert_element_type"}
"""The primitives that `apply` may know."""

_MOST_CHOICES = 31  # NumPy's.


def apply(
    name: str, parameters: Mapping[str, Any], operands: Sequence[np.ndarray], result: np.dtype
) -> np.ndarray | None:
    """Evaluates one operation.

    Args:
        name: the primitive's name.
        parameters: its parameters.
        operands: its operands, one at least, of any shape and of dtypes in `DTYPES`.
        result: the dtype of its result.

    Returns:
        The result, or `None` if JAX has to say.
    """
    value: Any = None
    if name in _FUNCTIONS:
        value = _computed(*_FUNCTIONS[name], operands)
    elif name == "integer_pow" and parameters["y"] == 2:
        value = _computed(*_FUNCTIONS["square"], operands)
    elif name in _MOVES:
        value = _MOVES[name](parameters, *operands)
    elif name == "convert_element_type":
        value = _converted(operands[0], result)
    return np.asarray(value) if value is not None and value.dtype == result else None


def _computed(function: Callable[..., Any], kinds: str, operands: Sequence[np.ndarray]) -> Any:
    if operands[0].dtype.kind not in kinds:
        return None
    value = function(*operands)
    for numbers in (*operands, value):
        if _has_subnormals(numbers):
            return None
    return value


def _has_subnormals(array: Any) -> bool:
    tiny = _TINY.get(array.dtype)
    if tiny is None:
        return False
    if array.ndim == 0:
        return -tiny < float(array) < tiny and bool(array)
    return bool(((np.abs(array) < tiny) & (array != 0)).any())


def _selected(which: np.ndarray, cases: Sequence[np.ndarray]) -> Any:
    if which.dtype.kind == "b":
        return np.where(which, cases[1], cases[0])
    return np.choose(which, cases, mode="clip") if len(cases) <= _MOST_CHOICES else None


def _broadcast(array: np.ndarray, shape: Sequence[int], dimensions: Sequence[int]) -> np.ndarray:
    sizes = [1] * len(shape)
    for dimension, size in zip(dimensions, array.shape, strict=True):
        sizes[dimension] = size
    return np.broadcast_to(array.reshape(sizes), shape)


def _converted(array: np.ndarray, dtype: np.dtype) -> Any:
    """Converted where every value has a counterpart, or is rounded to the nearest one."""
    if dtype not in DTYPES or _has_subnormals(array):
        return None
    if array.dtype.kind == "f" and dtype.kind != "f":
        return None
    value = array.astype(dtype)
    return None if _has_subnormals(value) else value
