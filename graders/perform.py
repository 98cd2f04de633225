"""Calling a student's function: plainly, or through jit, vmap, grad, or watched.

This is the only code that touches a student's function, in JupyterLab as when grading.
"""

from __future__ import annotations

import inspect
import linecache
import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from graders import eager, jaxprs, values
from graders.observe import (
    OUT_OF_MEMORY,
    RAISED,
    REFUSED,
    RETURNED,
    Call,
    Event,
    Observation,
    Problem,
    Step,
)
from graders.stepwise import Executable
from graders.watch import watched

_LIBRARIES = tuple(
    os.path.dirname(os.path.abspath(path)) + os.sep
    for path in (jax.__file__, np.__file__, os.__file__, __file__)
)


class Refused(Exception):
    """The traced program contains something that a grader does not run."""


class Observer:
    """Makes calls and remembers what it compiled, by function, transformations and shapes.

    An observer is short-lived: a function may read names that are defined anew later.
    """

    def __init__(self) -> None:
        self._compiled: dict[Any, tuple[Any, ...]] = {}
        self._failed: dict[Any, tuple[Any, Exception]] = {}

    def observe(self, fn: Any, call: Call) -> Observation:
        """Makes one call.

        Args:
            fn: the student's function; any object will do.
            call: how to call it.

        Returns:
            The observation. Nothing that the function raises gets through, except for
            `KeyboardInterrupt`.
        """
        seen = self._attempt(fn, call, call.through)
        for steps in call.otherwise:
            if seen.status != RAISED or (seen.problem and seen.problem.is_blank):
                break
            seen = self._attempt(fn, call, steps)
        return seen

    def _attempt(self, fn: Any, call: Call, steps: Sequence[Step]) -> Observation:
        seen = Observation(RETURNED, through=tuple(step.name for step in steps))
        try:
            with jax.disable_jit(False):
                args = tuple(map(_argument, call.args))
                if steps and steps[-1].name == "history":
                    seen = self._history(fn, call, args, steps, seen)
                elif steps and steps[-1].name in ("jit", "trace", "watch"):
                    seen = self._staged(fn, call, args, steps, seen)
                else:
                    arrays = (jax.device_put(x) if isinstance(x, np.ndarray) else x for x in args)
                    with eager.computing():
                        result = _transform(_bind(fn, call), steps)(*arrays)
                    result = jax.block_until_ready(result)
                    seen = replace(seen, value=result, array_kind=_kind(result))
            # Decoding what was encoded leaves NumPy arrays that share nothing with the answer.
            plain = values.decode(values.encode(_normalise(seen.value)))
            return replace(seen, value=plain)
        except Refused as error:
            return replace(
                seen, status=REFUSED, value=None, problem=Problem("Refused", (), str(error))
            )
        except values.NotPlainError as error:
            return replace(
                seen, status=RAISED, value=None, problem=Problem("NotPlainError", (), str(error))
            )
        except MemoryError as error:
            return replace(seen, status=OUT_OF_MEMORY, value=None, problem=describe(error))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            status = OUT_OF_MEMORY if "RESOURCE_EXHAUSTED" in _text(error) else RAISED
            return replace(seen, status=status, value=None, problem=describe(error))

    def _staged(
        self, fn: Any, call: Call, args: tuple[Any, ...], steps: Sequence[Step], seen: Observation
    ) -> Observation:
        shapes = tuple(
            (argument.shape, str(argument.dtype)) if hasattr(argument, "shape") else type(argument)
            for argument in args
        )
        key = (
            id(fn),
            tuple(step.key() for step in steps),
            shapes,
            repr(sorted(call.kwargs.items())),
        )
        if key in self._failed:
            raise self._failed[key][1]
        if key not in self._compiled:
            # The function is kept, so that its id is not given to another one.
            try:
                self._compiled[key] = (fn, *self._compile(fn, call, args, steps))
            except Exception as error:
                self._failed[key] = (fn, error)
                raise
        _, compiled, program, events = self._compiled[key]
        seen = replace(seen, program=program)
        if compiled is None:
            return seen
        result = jax.block_until_ready(compiled(args))
        if any(step.name == "watch" for step in steps):
            result, details = result
            seen = replace(
                seen,
                events=tuple(
                    Event(name, {key: np.asarray(value) for key, value in detail.items()})
                    for name, detail in zip(events, details, strict=True)
                ),
            )
        # Under jit every array is JAX's, whoever computes it here.
        return replace(seen, value=result, array_kind="jax")

    def _history(
        self, fn: Any, call: Call, args: tuple[Any, ...], steps: Sequence[Step], seen: Observation
    ) -> Observation:
        # Wanted for pictures only: nothing of it is kept.
        from graders.history import Historian

        staged = jax.jit(_transform(_bind(fn, call), steps)).trace(*args)
        historian = Historian(steps[-1].limit)
        results = historian.results(staged.jaxpr, jax.tree.leaves(args))
        structure = jax.tree.structure(staged.out_info)
        return replace(
            seen,
            value=None if results is None else jax.tree.unflatten(structure, results),
            array_kind="jax",
            program=jaxprs.summarise(staged.jaxpr),
            events=tuple(
                Event("step", {str(number): value for number, value in enumerate(step)})
                for step in historian.steps
            ),
        )

    def _compile(
        self, fn: Any, call: Call, args: tuple[Any, ...], steps: Sequence[Step]
    ) -> tuple[Any, jaxprs.Program, tuple[str, ...]]:
        """What runs it (`None` if it is traced only), its program, and its events' names."""
        names: list[str] = []
        staged = jax.jit(_transform(_bind(fn, call), steps, names)).trace(*args)
        program = jaxprs.summarise(staged.jaxpr)
        callbacks = program.primitives() & (jaxprs.CALLBACKS - {"debug_callback"})
        if callbacks:
            raise Refused(f"it calls back into Python through {min(callbacks)}")
        if steps[-1].name == "trace":
            return None, program, tuple(names)
        return Executable(staged), program, tuple(names)


def _argument(value: Any) -> Any:
    """An argument of the dtype that JAX gives it; making it an array of JAX's takes longer."""
    if not isinstance(value, np.ndarray):
        return value
    return value.astype(jax.dtypes.canonicalize_dtype(value.dtype), copy=False)


def _bind(fn: Any, call: Call) -> Callable[..., Any]:
    """A function of the positional arguments alone, new each time so that no cache knows it."""
    kwargs = dict(call.kwargs)

    def answer(*args: Any) -> Any:
        return fn(*args, **kwargs)

    return answer


def _transform(
    fn: Callable[..., Any], steps: Sequence[Step], events: list[str] | None = None
) -> Callable[..., Any]:
    for step in steps:
        match step.name:
            case "vmap":
                fn = jax.vmap(fn, in_axes=0 if step.in_axes is None else step.in_axes)
            case "grad":
                fn = jax.grad(_scalar(fn, step), argnums=step.argnums)
            case "watch":
                fn = watched(fn, step.limit, [] if events is None else events)
            case "jit" | "trace" | "history":
                fn = jax.jit(fn)
            case _:
                raise ValueError(f"unknown transformation {step.name!r}")
    return fn


def _scalar(fn: Callable[..., Any], step: Step) -> Callable[..., Any]:
    def weighted(*args: Any) -> Any:
        result = fn(*args)
        if step.output is not None:
            result = result[step.output]
        result = jnp.asarray(result)
        if step.weights is None:
            return jnp.sum(result)
        return jnp.sum(result * jnp.asarray(step.weights).astype(result.dtype))

    return weighted


def _normalise(value: Any) -> Any:
    """Turns containers that are pytrees (named tuples and the like) into plain ones."""
    if isinstance(value, tuple) and type(value) is not tuple:
        return tuple(value)
    return value


def _kind(value: Any) -> str:
    # What is nested deeper is no plain data.
    for _ in range(values.MAX_DEPTH):
        if isinstance(value, tuple | list) and value:
            value = value[0]
    if isinstance(value, jax.Array):
        return "jax"
    return "numpy" if isinstance(value, np.ndarray | np.generic) else "python"


def _text(error: BaseException) -> str:
    try:
        # What follows in JAX's messages tells of the function that the grader wrapped.
        return str(error).split("\nThe error occurred while tracing")[0].strip()
    except BaseException:
        return "(its message cannot be read)"


def describe(error: BaseException) -> Problem:
    """An exception as plain data.

    Args:
        error: the exception; its own methods are not trusted.

    Returns:
        The problem, with the innermost line that is not in a library.
    """
    line, number = "", 0
    for frame, lineno in traceback.walk_tb(error.__traceback__):
        filename = frame.f_code.co_filename
        if not os.path.abspath(filename).startswith(_LIBRARIES) and "importlib" not in filename:
            source = linecache.getline(filename, lineno, frame.f_globals).strip()
            if source:
                line, number = source, lineno
    if isinstance(error, SyntaxError) and not line:
        line, number = (error.text or "").strip(), error.lineno or 0
    bases = tuple(base.__name__ for base in inspect.getmro(type(error)))
    return Problem(type(error).__name__, bases, _text(error)[:600], line[:200], number)
