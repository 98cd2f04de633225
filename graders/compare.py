"""Comparing numbers, and writing them for readers. NumPy only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

EPS32 = float(np.finfo(np.float32).eps)
"""Relative spacing of float32, the unit in which tolerances are given."""

_scale: ContextVar[float] = ContextVar("tolerance scale", default=1.0)


@contextmanager
def tolerances_scaled(factor: float) -> Iterator[None]:
    """Multiplies every tolerance by `factor`: the tests show that no verdict hangs on it."""
    token = _scale.set(factor)
    try:
        yield
    finally:
        _scale.reset(token)


def as_float(value: Any) -> np.ndarray | None:
    """A value as a float64 array, or `None` if it is not an array of real numbers."""
    try:
        array = np.asarray(value)
        if array.dtype.kind in "OUSc":
            return None
        return array.astype(np.float64)
    except (TypeError, ValueError):
        return None


def close(came: Any, expected: Any, *, rtol: float, atol: float = 0.0) -> bool:
    """Whether two arrays have the same shape and agree within the tolerances.

    Args:
        came: what came; anything that is not an array of numbers is not close.
        expected: what was expected, finite.
        rtol: tolerance relative to `expected`.
        atol: absolute tolerance, same unit as the values.

    Returns:
        True if every entry is finite and within `atol + rtol * abs(expected)`.
    """
    array, reference = as_float(came), np.asarray(expected, np.float64)
    if array is None or array.shape != reference.shape:
        return False
    factor = _scale.get()
    with np.errstate(invalid="ignore", over="ignore"):
        bound = factor * (atol + rtol * np.abs(reference))
        return bool(np.all(np.abs(array - reference) <= bound))


def matching(
    came: Sequence[Any],
    models: Mapping[str, Sequence[Any]],
    expected: Sequence[Any],
    *,
    rtol: float,
    atol: float = 0.0,
) -> str | None:
    """The wrong model that an answer equals on every input.

    Args:
        came: the answer's results, one per input; `None` where it gave none.
        models: for each misconception's code its results on the same inputs.
        expected: the right results.
        rtol: relative tolerance.
        atol: absolute tolerance.

    Returns:
        The first code whose results are close to `came` everywhere and differ from
        `expected` somewhere, or `None`.
    """
    for code, results in models.items():
        agrees = all(close(a, b, rtol=rtol, atol=atol) for a, b in zip(came, results, strict=True))
        differs = not all(
            close(a, b, rtol=rtol, atol=atol) for a, b in zip(results, expected, strict=True)
        )
        if agrees and differs:
            return code
    return None


def numeric_gradient(
    fn: Callable[..., Any], args: Sequence[Any], argnums: Sequence[int], step: float = 1e-6
) -> tuple[np.ndarray, ...]:
    """Central differences of a scalar NumPy function in float64.

    Args:
        fn: takes `args` and returns a scalar.
        args: its arguments; those in `argnums` are arrays or numbers.
        argnums: the arguments to differentiate with respect to.
        step: the step, in the arguments' unit.

    Returns:
        One gradient per entry of `argnums`, float64, shaped like the argument. The error is
        of the order `step**2` times the third derivative, plus 1e-16 / `step`.
    """
    gradients = []
    for number in argnums:
        point = np.asarray(args[number], np.float64)
        gradient = np.zeros(point.shape)
        for index in np.ndindex(point.shape):
            ends = []
            for sign in (1, -1):
                moved = point.copy()
                moved[index] += sign * step
                ends.append(fn(*args[:number], moved, *args[number + 1 :]))
            gradient[index] = (ends[0] - ends[1]) / (2 * step)
        gradients.append(gradient)
    return tuple(gradients)


def brief(value: Any, digits: int = 4) -> str:
    """A value for a message: at most 90 characters, or twice that for a tuple."""
    if isinstance(value, tuple):
        body, limit = f"({', '.join(brief(item, digits) for item in value[:9])})", 180
    else:
        body, limit = _body(value, digits), 90
    return body if len(body) <= limit else body[: limit - 1] + "…"


def _body(value: Any, digits: int) -> str:
    try:
        array = np.asarray(value)
    except ValueError:  # a list of lists of unequal lengths
        return repr(value)
    if array.dtype.kind in "OUS" or isinstance(value, bool):
        return repr(value)
    if array.size <= 8:
        return _nested(array, digits)
    flat = [_number(item, digits) for item in array.reshape(-1)[:4]]
    return f"[{', '.join(flat)}, …] (shape {array.shape})"


def _nested(array: np.ndarray, digits: int) -> str:
    if array.ndim == 0:
        return _number(array[()], digits)
    return "[" + ", ".join(_nested(item, digits) for item in array) + "]"


def _number(item: Any, digits: int) -> str:
    if isinstance(item, np.bool_ | bool):
        return str(bool(item))
    if isinstance(item, np.integer | int):
        return str(int(item))
    if isinstance(item, complex | np.complexfloating):
        return str(complex(item))
    return f"{float(item):.{digits}g}"
