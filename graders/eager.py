"""Calling a function plainly, its operations and loops run as `graders.stepwise` runs them.

Outside of `jax.jit`, JAX compiles each new operation and each loop, however small. Here a plain
call stays what it is, with concrete arrays and Python's own control flow; only who computes is
another one. JAX hands what its primitives are given to the current trace, and `_Eager` takes the
place of the one that compiles.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import jax
import numpy as np
from jax.extend import core

from graders.scalars import RULES
from graders.stepwise import MAX_OPERATIONS, Stepwise, operations

_LOOPS = ("scan", "while", "cond")
_JIT = ("jit", "pjit")

# The trace that evaluates. Whoever imports this may be tracing, but in this thread only.
with ThreadPoolExecutor(1) as _pool:
    _TRACE = _pool.submit(core.find_top_trace, ()).result()


@contextlib.contextmanager
def computing() -> Iterator[None]:
    """Within it, JAX's operations on concrete arrays are not compiled where they need not be."""
    with core.set_current_trace(_Eager()):
        yield


class _Eager(type(_TRACE)):  # type: ignore[misc]
    """Evaluates what primitives are applied to; what it cannot do, JAX does as always."""

    def __init__(self) -> None:
        super().__init__()
        self._stepwise = Stepwise()
        self._spent = 0

    def process_primitive(self, primitive: Any, args: Sequence[Any], params: Any, /) -> Any:
        """Applies a primitive."""
        with core.set_current_trace(_TRACE):
            results = self._results(primitive, args, params)
            if results is None:
                return _TRACE.process_primitive(primitive, args, params)
            arrays = jax.device_put(results)
        return arrays if primitive.multiple_results else arrays[0]

    def process_custom_jvp_call(self, *args: Any, **kwargs: Any) -> Any:
        """Calls a function that has derivatives of its own."""
        with core.set_current_trace(self):
            return super().process_custom_jvp_call(*args, **kwargs)

    def process_custom_vjp_call(self, *args: Any, **kwargs: Any) -> Any:
        """Calls a function that has derivatives of its own."""
        with core.set_current_trace(self):
            return super().process_custom_vjp_call(*args, **kwargs)

    def _results(self, primitive: Any, args: Sequence[Any], params: Any) -> Sequence[Any] | None:
        if primitive.name in _JIT:
            return self._run(params["jaxpr"], args)
        if primitive.name in _LOOPS or primitive.name in RULES:
            return self._run(jax.make_jaxpr(partial(primitive.bind, **params))(*args), args)
        return None

    def _run(self, jaxpr: Any, args: Sequence[Any]) -> Sequence[Any] | None:
        if jaxpr.effects or not all(map(_can_be_made, jaxpr.out_avals)):
            return None
        size = operations(jaxpr)
        if self._spent + size > MAX_OPERATIONS:
            return None
        self._spent += size
        results = self._stepwise.run(jaxpr, args)
        return [
            # JAX takes a Python number for weakly typed.
            result.item() if _is_weak(aval) else result
            for result, aval in zip(results, jaxpr.out_avals, strict=True)
        ]


def _is_weak(aval: Any) -> bool:
    return getattr(aval, "weak_type", False)


def _can_be_made(aval: Any) -> bool:
    """Whether an array can be made from NumPy's, or from a number if it is weakly typed."""
    if not _is_weak(aval):
        return True
    number = np.zeros((), aval.dtype).item()
    return bool(aval.shape == () and jax.dtypes.result_type(number) == aval.dtype)
