"""What a student's names look like to the instructor's cells."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from graders import values
from graders.observe import Call, Observable, Observation


class RemoteError(Exception):
    """A student's function did not return.

    Where it raised one of Python's own exceptions, what is raised here is one of these, too.

    Attributes:
        seen: what came of the call.
    """

    def __init__(self, message: str, seen: Observation) -> None:
        super().__init__(message)
        self.seen = seen


def _as_raised(name: str, seen: Observation) -> RemoteError:
    """What a direct call raises where the student's function did not return."""
    problem = seen.problem
    if problem is None:
        return RemoteError(f"{name} did not return: {seen.status.replace('-', ' ')}", seen)
    message = f"{problem.kind}: {problem.message}"
    for base in (problem.kind, *problem.bases):
        known = getattr(builtins, base, None)
        if isinstance(known, type) and issubclass(known, Exception) and known is not Exception:
            try:
                kind = type(base, (RemoteError, known), {})
                return kind(message, seen)
            except TypeError:
                break  # an exception that is made in another way, such as UnicodeDecodeError
    return RemoteError(message, seen)


class Home(Protocol):
    """Where a student's functions live."""

    def observe(self, name: str, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Makes calls of the function with this name."""
        ...


class RemoteFunction(Observable):
    """A function that lives in the student's kernel.

    `graders.observe` observes it there. It can be called directly as well, with NumPy or JAX
    arrays and numbers, so that a test in nbgrader's ordinary style works unchanged.
    """

    def __init__(self, home: Home, name: str) -> None:
        self._home = home
        self.__name__ = name

    def observe_calls(self, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Makes the calls in the student's kernel."""
        return self._home.observe(self.__name__, calls)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function plainly.

        Returns:
            What it returns, as plain data with JAX or NumPy arrays, whichever it returned.

        Raises:
            TypeError: if an argument is not plain data, for example under `jax.jit`.
            RemoteError: if the function raises, or does not come back.
        """
        try:
            call = Call(values.decode(values.encode(args)), values.decode(values.encode(kwargs)))
        except Exception as error:
            raise TypeError(
                f"{self.__name__} lives in the student's kernel and takes plain data only; "
                f"use graders.observe.observe({self.__name__}, …, through='jit') to call it "
                f"through a transformation ({type(error).__name__})."
            ) from None
        [seen] = self.observe_calls([call])
        if not seen.returned:
            raise _as_raised(self.__name__, seen)
        return _as_jax(seen.value) if seen.array_kind == "jax" else seen.value

    def __repr__(self) -> str:
        return f"<{self.__name__} in the student's kernel>"


def _as_jax(value: Any) -> Any:
    """Plain data with JAX arrays in place of NumPy ones, of the same dtypes."""
    # JAX is imported where a function was called, and nowhere else.
    import jax
    import jax.numpy as jnp

    def one(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray):
            return leaf
        with jax.enable_x64(leaf.dtype.itemsize > 4):
            return jnp.asarray(leaf)

    return jax.tree.map(one, value)


class Opaque:
    """A value of the student's that is neither a function nor plain data."""

    def __init__(self, name: str, kind: str) -> None:
        self.__name__ = name
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.__name__}: a {self.kind} in the student's kernel>"
