"""Plain data and its JSON form: what may cross between a student's kernel and the grader.

Arrays travel exactly (dtype, shape, bytes). Everything else is a number, a string,
`None`, or a tuple, list, set or dict of such things. Nothing is pickled and
nothing is ever evaluated.
"""

from __future__ import annotations

import base64
import math
from typing import Any

import ml_dtypes
import numpy as np

MAX_BYTES = 4_000_000
"""Most bytes of array data and text that one value may carry."""

MAX_ITEMS = 20_000
"""Most leaves and containers that one value may have."""

MAX_DEPTH = 20

_DTYPES: dict[str, np.dtype] = {
    np.dtype(kind).name: np.dtype(kind)
    for kind in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128",
    )
} | {"bfloat16": np.dtype(ml_dtypes.bfloat16)}  # fmt: skip


class NotPlainError(TypeError):
    """The value is not plain data, or too large to pass on."""


class _Budget:
    """Counts what one value uses up, so that no value is larger than it may be."""

    def __init__(self) -> None:
        self.bytes = MAX_BYTES
        self.items = MAX_ITEMS

    def spend(self, size: int, depth: int) -> None:
        self.bytes -= size
        self.items -= 1
        if self.bytes < 0 or self.items < 0 or depth > MAX_DEPTH:
            raise NotPlainError("the value is too large to be checked")


def encode(value: Any) -> Any:
    """Turns plain data into what `json.dumps` takes.

    Args:
        value: numbers, strings, `None`, NumPy or JAX arrays (any shape; bool, integer,
            float, complex or bfloat16), and tuples, lists, sets and dicts of them. An
            exception class travels as its name.

    Returns:
        A JSON value. `decode(encode(value))` gives the value back, JAX arrays as NumPy ones.

    Raises:
        NotPlainError: if the value is of another kind or too large.
    """
    return _encode(value, _Budget(), 0)


def _encode(value: Any, budget: _Budget, depth: int) -> Any:
    budget.spend(0, depth)
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        if value.bit_length() > 4096:
            raise NotPlainError("the integer is too large to be checked")
        return {"int": str(value)} if abs(value) > 2**53 else value
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is complex:
        return {"complex": [_encode(value.real, budget, depth), _encode(value.imag, budget, depth)]}
    if isinstance(value, str):
        text = str.__str__(value)
        budget.spend(len(text), depth)
        return text
    for name, container in (("tuple", tuple), ("list", list), ("set", (set, frozenset))):
        if isinstance(value, container):
            return {name: [_encode(item, budget, depth + 1) for item in value]}
    if isinstance(value, dict):
        return {
            "dict": [
                [_encode(key, budget, depth + 1), _encode(item, budget, depth + 1)]
                for key, item in value.items()
            ]
        }
    if isinstance(value, type) and issubclass(value, BaseException):
        return _encode(str(value.__name__), budget, depth)
    if hasattr(value, "dtype") and hasattr(value, "shape") and hasattr(value, "__array__"):
        return _encode_array(value, budget, depth)
    raise NotPlainError(f"a {kind.__name__} cannot be checked; give numbers, arrays or text")


def _encode_array(value: Any, budget: _Budget, depth: int) -> dict[str, Any]:
    name = str(value.dtype)
    if name not in _DTYPES:
        raise NotPlainError(f"an array of dtype {name} cannot be checked")
    budget.spend(math.prod(value.shape) * _DTYPES[name].itemsize, depth)
    array = np.ascontiguousarray(np.asarray(value))
    data = base64.b64encode(array.tobytes()).decode("ascii")
    return {"array": {"dtype": name, "shape": list(value.shape), "data": data}}


def decode(document: Any) -> Any:
    """The inverse of `encode`.

    Args:
        document: a JSON value as `encode` returns it, possibly written by an untrusted hand.

    Returns:
        The plain data; arrays are writable NumPy arrays of their own.

    Raises:
        NotPlainError: if the document is not one that `encode` can return.
    """
    try:
        return _decode(document, _Budget(), 0)
    except NotPlainError:
        raise
    except (TypeError, ValueError, KeyError, IndexError, OverflowError, AttributeError) as error:
        raise NotPlainError(f"malformed value: {error}") from None


def _decode(document: Any, budget: _Budget, depth: int) -> Any:
    budget.spend(len(document) if isinstance(document, str) else 0, depth)
    if document is None or isinstance(document, bool | int | float | str):
        return document
    if not isinstance(document, dict) or len(document) != 1:
        raise NotPlainError("malformed value: an object with exactly one key was expected")
    [(tag, body)] = document.items()
    match tag:
        case "int":
            return int(str(body)[:1300])
        case "float":
            return float(str(body)[:40])
        case "complex":
            real, imag = (_decode(part, budget, depth + 1) for part in body)
            return complex(real, imag)
        case "tuple" | "list" | "set":
            items = [_decode(item, budget, depth + 1) for item in body]
            return {"tuple": tuple, "list": list, "set": set}[tag](items)
        case "dict":
            return {
                _decode(key, budget, depth + 1): _decode(item, budget, depth + 1)
                for key, item in body
            }
        case "array":
            return _decode_array(body, budget, depth)
    raise NotPlainError(f"malformed value: unknown tag {str(tag)[:40]!r}")


def _decode_array(body: dict[str, Any], budget: _Budget, depth: int) -> np.ndarray:
    dtype = _DTYPES[body["dtype"]]
    shape = tuple(int(size) for size in body["shape"])
    if any(size < 0 for size in shape) or len(shape) > 32:
        raise NotPlainError("malformed value: impossible shape")
    size = math.prod(shape) * dtype.itemsize
    budget.spend(size, depth)
    data = base64.b64decode(body["data"], validate=True)
    if len(data) != size:
        raise NotPlainError("malformed value: the array's bytes do not fit its shape")
    return np.frombuffer(data, dtype).reshape(shape).copy()
