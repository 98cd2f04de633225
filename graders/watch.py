"""Running a traced program with its while loops bounded and its control flow written down.

A `lax.while_loop` that never ends cannot be interrupted from Python, so a check never
runs one unbounded: it rebuilds the traced program with a step limit in every while loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core

from graders import jaxprs

# Primitives that call one nested jaxpr with their own operands, by that parameter's name.
_CALLS = ("jaxpr", "call_jaxpr", "fun_jaxpr", "call")
_CALLING = frozenset(
    {"jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint",
     "custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_vmap_call",
     "custom_lin"}
)  # fmt: skip


class Watcher:
    """Evaluates a jaxpr, bounding its while loops and recording outermost control flow.

    Attributes:
        events: (primitive, details) in the order of evaluation; the details are traced
            values when the evaluation itself is traced.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.events: list[tuple[str, dict[str, Any]]] = []

    def evaluate(self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any]) -> list[Any]:
        """Evaluates an open or closed jaxpr.

        Args:
            jaxpr: the jaxpr.
            consts: values of its constants.
            args: values of its inputs.

        Returns:
            Its outputs.
        """
        return self._evaluate(jaxprs.bare(jaxpr), consts, args, record=True)

    def _evaluate(
        self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], *, record: bool
    ) -> list[Any]:
        known: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        known.update(zip(jaxpr.invars, args, strict=True))

        def read(atom: Any) -> Any:
            return atom.val if isinstance(atom, core.Literal) else known[atom]

        for equation in jaxpr.eqns:
            operands = [read(atom) for atom in equation.invars]
            results = self._one(equation, operands, record)
            known.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _one(self, equation: Any, operands: list[Any], record: bool) -> Sequence[Any]:
        name = equation.primitive.name
        parameters = equation.params
        inner = called(equation)
        if inner is not None:
            return self._inner(inner, operands, record)
        if name == "while":
            return self._while(equation, operands, record)
        if name == "cond":
            return self._cond(equation, operands, record)
        if name == "scan" and self._takes_apart(equation, operands):
            return self._scan(equation, operands)
        if name == "clamp" and record:
            low, operand, high = operands
            self.events.append(("clamp", {"low": low, "operand": operand, "high": high}))
        results = equation.primitive.bind(*operands, **parameters)
        return results if equation.primitive.multiple_results else [results]

    def _takes_apart(self, equation: Any, operands: Sequence[Any]) -> bool:
        """Whether a scan is rebuilt; one without while loops in it needs no bounding."""
        return _has_while(equation)

    def _inner(self, jaxpr: Any, operands: Sequence[Any], record: bool) -> list[Any]:
        consts = getattr(jaxpr, "consts", ())
        return self._evaluate(jaxprs.bare(jaxpr), consts, operands, record=record)

    def _while(self, equation: Any, operands: list[Any], record: bool) -> Sequence[Any]:
        parameters = equation.params
        n_cond, n_body = parameters["cond_nconsts"], parameters["body_nconsts"]
        cond_consts = operands[:n_cond]
        body_consts = operands[n_cond : n_cond + n_body]
        start = tuple(operands[n_cond + n_body :])

        def wants_more(carry: tuple[Any, ...]) -> Any:
            [answer] = self._inner(parameters["cond_jaxpr"], [*cond_consts, *carry], False)
            return answer

        def cond(state: tuple[Any, Any]) -> Any:
            steps, carry = state
            return jnp.logical_and(jnp.any(wants_more(carry)), steps < self.limit)

        def body(state: tuple[Any, Any]) -> tuple[Any, Any]:
            steps, carry = state
            after = self._inner(parameters["body_jaxpr"], [*body_consts, *carry], False)
            return steps + 1, tuple(keep_done(wants_more(carry), after, carry))

        steps, carry = lax.while_loop(cond, body, (jnp.int32(0), start))
        if record:
            finished = jnp.logical_not(wants_more(carry))
            self.events.append(("while", {"steps": steps, "finished": finished}))
        return carry

    def _cond(self, equation: Any, operands: list[Any], record: bool) -> Sequence[Any]:
        index, *rest = operands
        branches = equation.params["branches"]
        if record:
            self.events.append(("cond", {"index": index, "branches": len(branches)}))
        runs: list[Callable[..., Any]] = [
            lambda *values, branch=branch: tuple(self._inner(branch, values, False))
            for branch in branches
        ]
        return lax.switch(jnp.asarray(index, jnp.int32), runs, *rest)

    def _scan(self, equation: Any, operands: list[Any]) -> Sequence[Any]:
        """The same scan over a bounded body.

        Only the body's jaxpr is exchanged, since the parameters that sort a scan's operands
        differ between versions of JAX.
        """
        body = equation.params["jaxpr"]
        shapes = [
            jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)
            for aval in (variable.aval for variable in jaxprs.bare(body).invars)
        ]
        bounded = jax.make_jaxpr(lambda *values: self._inner(body, values, False))(*shapes)
        return equation.primitive.bind(*operands, **(equation.params | {"jaxpr": bounded}))


def called(equation: Any) -> Any:
    """The jaxpr that an equation calls with its own operands, or `None` if it does more."""
    if equation.primitive.name not in _CALLING:
        return None
    return next(equation.params[key] for key in _CALLS if key in equation.params)


def keep_done(going: Any, after: Sequence[Any], before: Sequence[Any]) -> Sequence[Any]:
    """The carry after a step of a while loop.

    Under vmap every element has its own condition, and those that are done stay as they are.
    JAX sees to that only when it lowers the loop.
    """
    if not np.ndim(going):
        return after
    return [
        jnp.where(jnp.reshape(going, going.shape + (1,) * (np.ndim(new) - going.ndim)), new, old)
        for new, old in zip(after, before, strict=True)
    ]


def _has_while(equation: Any) -> bool:
    return any(
        inner.primitive.name == "while" or _has_while(inner)
        for _, jaxpr in jaxprs.nested(equation)
        for inner in jaxprs.bare(jaxpr).eqns
    )


def watched(fn: Callable[..., Any], limit: int, events: list[Any]) -> Callable[..., Any]:
    """Wraps a function so that it runs watched.

    Args:
        fn: the function.
        limit: steps after which a while loop is stopped.
        events: emptied, then filled with the names of the events when the wrapper is traced.

    Returns:
        A function of the same arguments that returns `(result, details)`, the details
        being a list with the traced values of each event.
    """

    def run(*args: Any) -> Any:
        closed, shape = jax.make_jaxpr(fn, return_shape=True)(*args)
        watcher = Watcher(limit)
        flat = watcher.evaluate(closed, closed.consts, jax.tree.leaves(args))
        result = jax.tree.unflatten(jax.tree.structure(shape), flat)
        events[:] = [name for name, _ in watcher.events]
        return result, [details for _, details in watcher.events]

    return run
