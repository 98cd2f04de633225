"""What a student's names look like to the instructor's cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graders import values
from graders.grading.kernel import StudentKernel
from graders.observe import Call, Observation


class RemoteError(Exception):
    """A student's function did not return."""


class RemoteFunction:
    """A function that lives in the student's kernel.

    `graders.observe` observes it there. It can be called directly as well, with NumPy or JAX
    arrays and numbers, so that a test in nbgrader's ordinary style works unchanged.
    """

    def __init__(self, kernel: StudentKernel, name: str) -> None:
        self._kernel = kernel
        self.__name__ = name

    def observe_calls(self, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Makes the calls in the student's kernel."""
        return self._kernel.observe(self.__name__, calls)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function plainly.

        Returns:
            What it returns, as plain data with NumPy arrays.

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
        if seen.returned:
            return seen.value
        if seen.problem is not None:
            raise RemoteError(f"{seen.problem.kind}: {seen.problem.message}")
        raise RemoteError(f"{self.__name__} did not return: {seen.status}")

    def __repr__(self) -> str:
        return f"<{self.__name__} in the student's kernel>"


class Opaque:
    """A value of the student's that is neither a function nor plain data."""

    def __init__(self, name: str, kind: str) -> None:
        self.__name__ = name
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.__name__}: a {self.kind} in the student's kernel>"
