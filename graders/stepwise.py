"""Running a traced program one operation at a time, instead of compiling it as a whole.

A student's program is run a few times on small inputs, and compiling it costs a hundred times
what running it does. Single operations are compiled once and are the same for everybody, so
that JAX's compilation cache has them. The results are those of JAX's eager mode.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from graders import jaxprs, scalars
from graders.elementwise import DTYPES, Rule
from graders.scalars import RULES
from graders.watch import Watcher, keep_done

log = logging.getLogger(__name__)

MAX_OPERATIONS = 30_000
"""A program is compiled once it has run about this many operations singly."""

MAX_STEPS = 200
"""A while loop is compiled after this many steps."""

_USES = 3
"""The use from which on a program on single numbers is written out; that takes as long as three."""

_STEPS_GUESSED = 10
_NUMPY = (np.ndarray, np.generic)


class Executable:
    """A traced program that is run one operation at a time, and compiled once that pays.

    Args:
        staged: what `jax.jit(…).trace(…)` returns.
    """

    def __init__(self, staged: Any) -> None:
        self._staged = staged
        self._size = operations(staged.jaxpr)
        self._spent = 0
        self._stepwise = Stepwise()
        self._compiled: Any = None

    def __call__(self, args: Sequence[Any]) -> Any:
        """Runs the program.

        Args:
            args: the arguments, shaped like those that it was traced with.

        Returns:
            Its result; its arrays are JAX's or NumPy's.
        """
        self._spent += self._size
        if self._compiled is None and self._spent > MAX_OPERATIONS:
            self._compiled = self._staged.lower().compile()
        if self._compiled is not None:
            return self._compiled(*args)
        results = self._stepwise.run(self._staged.jaxpr, jax.tree.leaves(args))
        return jax.tree.unflatten(jax.tree.structure(self._staged.out_info), results)


def operations(jaxpr: Any) -> int:
    """About how many operations a jaxpr runs, its loops' steps counted singly."""
    total = 0
    for equation in jaxprs.bare(jaxpr).eqns:
        inner = sum(operations(nested) for _, nested in jaxprs.nested(equation))
        if equation.primitive.name == "scan":
            inner *= int(equation.params["length"])
        elif equation.primitive.name == "while":
            inner *= _STEPS_GUESSED
        total += inner or 1
    return total


@dataclass(frozen=True)
class _Step:
    """An operation: which places of the memory it reads, and which it writes."""

    equation: Any
    rule: Rule | None
    reads: tuple[int, ...]
    dtypes: tuple[Any, ...]
    writes: tuple[int, ...]
    result: Any


@dataclass
class _Plan:
    """A jaxpr made ready. Its memory begins with its constants and inputs."""

    jaxpr: Any
    memory: list[Any]
    inputs: list[Any]
    steps: list[_Step]
    results: list[int]
    uses: int = 0
    function: scalars.Function | None = None


def _plan(jaxpr: Any) -> _Plan:
    memory: list[Any] = []
    places: dict[Any, int] = {}

    def place(variable: Any) -> int:
        places[variable] = len(memory)
        memory.append(None)
        return places[variable]

    def read(atom: Any) -> int:
        if not isinstance(atom, core.Literal):
            return places[atom]
        dtype = _dtype(atom)
        memory.append(np.asarray(atom.val, dtype) if dtype in DTYPES else atom.val)
        return len(memory) - 1

    inputs = (*jaxpr.constvars, *jaxpr.invars)
    for variable in inputs:
        place(variable)
    steps = []
    for equation in jaxpr.eqns:
        reads = tuple(read(atom) for atom in equation.invars)
        dtypes = tuple(_dtype(atom) for atom in equation.invars)
        rule = RULES.get(equation.primitive.name)
        known = DTYPES.issuperset(dtypes)
        writes = tuple(place(variable) for variable in equation.outvars)
        result = _dtype(equation.outvars[0]) if writes else None
        steps.append(_Step(equation, rule if known else None, reads, dtypes, writes, result))
    results = [read(atom) for atom in jaxpr.outvars]
    return _Plan(jaxpr, memory, list(map(_dtype, inputs)), steps, results)


class Stepwise(Watcher):
    """Evaluates jaxprs on concrete values, their loops in Python."""

    def __init__(self) -> None:
        super().__init__(limit=0)
        self._plans: dict[int, _Plan] = {}

    def run(self, jaxpr: Any, args: Sequence[Any]) -> list[Any]:
        """Evaluates a closed jaxpr.

        Args:
            jaxpr: the closed jaxpr.
            args: its inputs, flat: arrays, or Python numbers.

        Returns:
            Its outputs: arrays of JAX or NumPy.
        """
        bare = jaxprs.bare(jaxpr)
        inputs = [_array(value, atom) for value, atom in zip(args, bare.invars, strict=True)]
        # Infinities and NaNs are results like others, as they are to XLA.
        with np.errstate(all="ignore"):
            results = self._inner(jaxpr, inputs, False)
        return [_array(value, atom) for value, atom in zip(results, bare.outvars, strict=True)]

    def _evaluate(
        self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], *, record: bool
    ) -> list[Any]:
        plan = self._plans.get(id(jaxpr))
        if plan is None:
            plan = self._plans[id(jaxpr)] = _plan(jaxpr)
        plan.uses += 1
        if plan.uses == _USES:
            plan.function = scalars.function(jaxpr)
        if plan.function is not None:
            written = plan.function(*map(scalars.scalar, (*consts, *args), plan.inputs))
            if written is not None:
                return written
        memory = plan.memory.copy()
        memory[: len(consts)] = consts
        memory[len(consts) : len(consts) + len(args)] = args
        for step in plan.steps:
            operands = [memory[place] for place in step.reads]
            results = None if step.rule is None else _by_numpy(step, operands)
            if results is None:
                results = self._one(step.equation, operands, record)
            for place, result in zip(step.writes, results, strict=True):
                memory[place] = result
        return [memory[place] for place in plan.results]

    def _takes_apart(self, equation: Any, operands: Sequence[Any]) -> bool:
        return equation.params["length"] > 0 and all(_is_plain(operand) for operand in operands)

    def _while(self, equation: Any, operands: list[Any], record: bool) -> Sequence[Any]:
        operands = _on_host(operands)
        parameters = equation.params
        n_cond, n_body = parameters["cond_nconsts"], parameters["body_nconsts"]
        cond_consts = operands[:n_cond]
        body_consts = operands[n_cond : n_cond + n_body]
        carry = operands[n_cond + n_body :]
        for _ in range(MAX_STEPS):
            [more] = self._inner(parameters["cond_jaxpr"], [*cond_consts, *carry], False)
            if not np.asarray(more).any():
                return carry
            after = self._inner(parameters["body_jaxpr"], [*body_consts, *carry], False)
            carry = list(keep_done(more, after, carry))
        return list(equation.primitive.bind(*operands[: n_cond + n_body], *carry, **parameters))

    def _cond(self, equation: Any, operands: list[Any], record: bool) -> Sequence[Any]:
        index, *rest = operands
        branches = equation.params["branches"]
        chosen = min(max(int(index), 0), len(branches) - 1)
        return self._inner(branches[chosen], rest, False)

    def _scan(self, equation: Any, operands: list[Any]) -> Sequence[Any]:
        operands = _on_host(operands)
        parameters = equation.params
        body = jaxprs.bare(parameters["jaxpr"])
        # Which operands are which is kept differently from version to version of JAX; but what
        # is scanned over has one axis more than what the body sees of it.
        n_xs = sum(_ndim(a) > _ndim(b) for a, b in zip(equation.invars, body.invars, strict=True))
        n_ys = sum(_ndim(a) > _ndim(b) for a, b in zip(equation.outvars, body.outvars, strict=True))
        n_carry = len(body.outvars) - n_ys
        n_consts = len(body.invars) - n_xs - n_carry
        consts = operands[:n_consts]
        carry = list(operands[n_consts : n_consts + n_carry])
        # Indexing a NumPy array costs nothing; indexing a JAX array is an operation of its own.
        xs = [np.asarray(x) for x in operands[n_consts + n_carry :]]
        steps = range(parameters["length"])
        rows: list[list[Any]] = []
        for step in reversed(steps) if parameters["reverse"] else steps:
            slices = [np.asarray(x[step]) for x in xs]
            results = self._inner(parameters["jaxpr"], [*consts, *carry, *slices], False)
            carry = list(results[:n_carry])
            rows.append(results[n_carry:])
        if parameters["reverse"]:
            rows.reverse()
        ys = [np.stack([np.asarray(y) for y in column]) for column in zip(*rows, strict=True)]
        return [*carry, *ys]


def _by_numpy(step: _Step, operands: Sequence[Any]) -> Sequence[Any] | None:
    """What NumPy makes of an operation, or `None` if JAX has to say."""
    arrays = [
        operand if isinstance(operand, _NUMPY) else np.asarray(operand, dtype)
        for operand, dtype in zip(operands, step.dtypes, strict=True)
    ]
    try:
        value = step.rule(step.equation.params, *arrays)  # type: ignore[misc]
    except Exception:
        # A fault of a rule must not become the student's; the tests of the bank make it one.
        log.debug("the rule failed: %s", step.equation, exc_info=True)
        return None
    if value is None or step.equation.primitive.multiple_results:
        return value
    return [value] if value.dtype == step.result else None


def _array(value: Any, atom: Any) -> Any:
    """A value as an array: inputs may be Python numbers, and outputs literals of the program."""
    if isinstance(value, jax.Array | np.ndarray):
        return value
    dtype = _dtype(atom)
    return np.asarray(value, dtype) if dtype in DTYPES else jnp.asarray(value, dtype)


def _on_host(operands: Sequence[Any]) -> list[Any]:
    """Operands as NumPy's, where that can be, since a loop's steps read them again and again."""
    return [
        np.asarray(operand)
        if isinstance(operand, jax.Array) and operand.dtype in DTYPES
        else operand
        for operand in operands
    ]


def _dtype(atom: Any) -> Any:
    return getattr(atom.aval, "dtype", None)


def _ndim(atom: Any) -> int:
    return len(atom.aval.shape)


def _is_plain(value: Any) -> bool:
    """Whether NumPy can hold a value; random keys are of a dtype of JAX's own."""
    dtype = getattr(value, "dtype", None)
    return dtype is None or not jnp.issubdtype(dtype, jax.dtypes.extended)
