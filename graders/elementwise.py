"""Operations of a traced program on each element, by NumPy where it gives what XLA gives.

JAX compiles an operation anew for every shape and dtype, which takes milliseconds, and
dispatches it in tens of microseconds; NumPy needs one or two. Only operations are here whose
results are fixed to the last bit: those that IEEE 754 rounds correctly, comparisons, and
conversions without a choice. A rule gives `None` for everything else, which JAX then says, and
for subnormal numbers too, because XLA takes them for zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

Rule = Callable[..., Any]
"""Gets an operation's parameters and operands: its result, or `None` if JAX has to say."""

BFLOAT16 = np.dtype(jnp.bfloat16)

KIND = {dtype: dtype.kind for dtype in map(np.dtype, "?bBhHiIqQefd")} | {BFLOAT16: "f"}
"""The kinds of the dtypes that rules take: NumPy's letters."""

DTYPES = frozenset(KIND)
"""The dtypes of operands that rules take."""

TINY = {dtype: float(jnp.finfo(dtype).tiny) for dtype, kind in KIND.items() if kind == "f"}
"""The smallest normal number of each."""

_MOST_CHOICES = 31  # NumPy's.


def has_subnormals(array: Any) -> bool:
    """Whether a number in an array lies between zero and the smallest normal number."""
    tiny = TINY.get(array.dtype)
    if tiny is None:
        return False
    if array.ndim == 0:
        return -tiny < float(array) < tiny and bool(array)
    return bool(((np.abs(array) < tiny) & (array != 0)).any())


def open_which(value: Any) -> bool:
    """Whether a greatest or smallest floating-point number leaves open which one it is.

    For zero, whose sign may be either, and for NaN it is open.
    """
    return bool(KIND[value.dtype] == "f" and (np.equal(value, 0) | np.isnan(value)).any())


def moved(rule: Rule) -> Rule:
    """A rule that sees no number, for all numbers but bfloat16's subnormal ones.

    XLA takes those for zero even where it only copies them, on processors that have instructions
    for bfloat16; on others it keeps them.
    """

    def guarded(parameters: Mapping[str, Any], *operands: Any) -> Any:
        if any(x.dtype == BFLOAT16 and has_subnormals(x) for x in operands):
            return None
        return rule(parameters, *operands)

    return guarded


def _computed(function: Callable[..., Any], kinds: str) -> Rule:
    """A rule for a function of NumPy, and for the kinds of dtype that it is good for."""

    def rule(parameters: Mapping[str, Any], *operands: Any) -> Any:
        kind = KIND[operands[0].dtype]
        if kind not in kinds:
            return None
        value = function(*operands)
        if kind == "f":
            for numbers in (*operands, value):
                if has_subnormals(numbers):
                    return None
        return value

    return rule


def _extreme(function: Callable[..., Any]) -> Rule:
    """A rule for a function that chooses one of its operands."""

    def rule(parameters: Mapping[str, Any], *operands: Any) -> Any:
        if any(map(has_subnormals, operands)):
            return None
        value = function(*operands)
        return None if open_which(value) else value

    return rule


def _power(parameters: Mapping[str, Any], x: Any) -> Any:
    """A whole power, multiplied in the order in which JAX multiplies it."""
    if not takes("integer_pow", x.dtype):
        return None
    left, square, product = abs(parameters["y"]), x, None
    seen = [x]
    while left:
        if left & 1:
            product = square if product is None else np.multiply(product, square)
            seen.append(product)
        left >>= 1
        if left:
            square = np.multiply(square, square)
            seen.append(square)
    if product is not None and parameters["y"] < 0:
        product = np.divide(np.ones_like(product), product)
        seen.append(product)
    return None if any(map(has_subnormals, seen)) else product


def _select(parameters: Mapping[str, Any], which: Any, *cases: Any) -> Any:
    if which.dtype.kind == "b":
        return np.where(which, cases[1], cases[0])
    return np.choose(which, cases, mode="clip") if len(cases) <= _MOST_CHOICES else None


def _convert(parameters: Mapping[str, Any], array: Any) -> Any:
    """Converted where every value has a counterpart, or is rounded to the nearest one."""
    dtype = np.dtype(parameters["new_dtype"])
    if dtype not in DTYPES or has_subnormals(array):
        return None
    kinds = KIND[array.dtype], KIND[dtype]
    if kinds[0] == "f" and kinds[1] in "iu":
        least, most = float(np.iinfo(dtype).min), float(np.iinfo(dtype).max)
        if not ((array > least) & (array < most)).all():
            return None
    if dtype == BFLOAT16 and not _fits_float32(array):
        return None
    value = array.astype(dtype)
    return None if has_subnormals(value) else value


def _fits_float32(array: Any) -> bool:
    """Whether no number is rounded on its way through float32, which may round it twice."""
    return bool((array.astype(np.float32).astype(array.dtype) == array).all())


def _bits(parameters: Mapping[str, Any], array: Any) -> Any:
    dtype = np.dtype(parameters["new_dtype"])
    if dtype not in DTYPES or dtype.itemsize != array.dtype.itemsize or has_subnormals(array):
        return None
    return np.asarray(array).view(dtype)


def _round(parameters: Mapping[str, Any], array: Any) -> Any:
    to_even = int(parameters["rounding_method"]) == 1
    return _ROUND(parameters, array) if to_even else None


_ROUND = _computed(np.rint, "f")

_COMPUTED: dict[str, tuple[Callable[..., Any], str]] = {
    "add": (np.add, "iuf"),
    "add_any": (np.add, "iuf"),
    "sub": (np.subtract, "iuf"),
    "mul": (np.multiply, "iuf"),
    "square": (np.square, "iuf"),
    "div": (np.divide, "f"),
    "sqrt": (np.sqrt, "f"),
    "floor": (np.floor, "f"),
    "ceil": (np.ceil, "f"),
    "eq": (np.equal, "biuf"),
    "ne": (np.not_equal, "biuf"),
    "lt": (np.less, "biuf"),
    "le": (np.less_equal, "biuf"),
    "gt": (np.greater, "biuf"),
    "ge": (np.greater_equal, "biuf"),
    "is_finite": (np.isfinite, "f"),
    "and": (np.bitwise_and, "biu"),
    "or": (np.bitwise_or, "biu"),
    "xor": (np.bitwise_xor, "biu"),
    "not": (np.invert, "biu"),
}


def takes(name: str, dtype: Any) -> bool:
    """Whether there are numbers of a dtype for which the rule of this name gives a result."""
    if name == "integer_pow":
        return bool(dtype != BFLOAT16)  # XLA rounds some of the products, not all
    return name not in _COMPUTED or KIND[dtype] in _COMPUTED[name][1]


RULES: dict[str, Rule] = {
    **{name: _computed(*what) for name, what in _COMPUTED.items()},
    "round": _round,
    "integer_pow": _power,
    "max": _extreme(np.maximum),
    "min": _extreme(np.minimum),
    "clamp": _extreme(lambda low, x, high: np.minimum(np.maximum(low, x), high)),
    "convert_element_type": _convert,
    "bitcast_convert_type": _bits,
    # These see no number in what they choose or change the sign of.
    "neg": moved(lambda parameters, x: np.negative(x) if x.dtype.kind != "b" else None),
    "abs": moved(lambda parameters, x: np.abs(x)),
    "select_n": moved(_select),
    "stop_gradient": moved(lambda parameters, x: x),
}
"""The rules by the primitives' names."""
