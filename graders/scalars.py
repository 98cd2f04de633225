"""Programs on single numbers, written out as one Python function each.

The body of a loop over single numbers runs dozens of times for every call. NumPy's scalars compute
with Python's operators what its functions compute, in a tenth of the time. The results are those
of `graders.elementwise`; where that leaves an operation to JAX, or a number is subnormal, the
function gives `None`, and the program is run another way.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from jax.extend import core

from graders import elementwise, jaxprs, movement, padded
from graders.elementwise import DTYPES, KIND, TINY
from graders.watch import called

Function: TypeAlias = Callable[..., "list[Any] | None"]
"""Gets NumPy scalars, the program's constants first; its results, or `None`."""

RULES = elementwise.RULES | movement.RULES | padded.RULES
"""The operations that JAX is not asked to compile for their shapes, by the primitives' names."""

_MOST = 300
"""Operations that are written out."""

_OPERATORS = {
    "add": "{} + {}",
    "add_any": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "square": "{0} * {0}",
    "div": "{} / {}",
    "eq": "{} == {}",
    "ne": "{} != {}",
    "lt": "{} < {}",
    "le": "{} <= {}",
    "gt": "{} > {}",
    "ge": "{} >= {}",
    "and": "{} & {}",
    "or": "{} | {}",
    "xor": "{} ^ {}",
}


class _NotWritten(Exception):
    """The program is not one on single numbers, or contains what has no rule."""


def function(jaxpr: Any) -> Function | None:
    """A program on single numbers as a Python function.

    Args:
        jaxpr: the open jaxpr.

    Returns:
        The function, or `None` if the program is another one.
    """
    writer = _Writer()
    inputs = [*jaxpr.constvars, *jaxpr.invars]
    try:
        for variable in inputs:
            writer.check(writer.place(variable), _dtype(variable))
        writer.write(jaxpr)
        results = [writer.read(atom) for atom in jaxpr.outvars]
    except _NotWritten:
        return None
    lines = [
        f"def run({', '.join(map(writer.read, inputs))}):",
        *writer.lines,
        f" return [{', '.join(results)}]",
    ]
    exec("\n".join(lines), writer.names)
    return writer.names["run"]


def scalar(value: Any, dtype: Any) -> Any:
    """A value of no dimension as a scalar of NumPy's."""
    return value if isinstance(value, np.generic) else np.asarray(value, dtype)[()]


class _Writer:
    """Lines of Python for the equations of a program.

    Attributes:
        lines: the lines.
        names: what they refer to.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"sqrt": np.sqrt}
        self._places: dict[Any, str] = {}
        self._numbers = itertools.count()
        self._left = _MOST

    def place(self, variable: Any) -> str:
        """A name of its own for a variable; one of a jaxpr that is called twice gets another."""
        name = self._places[variable] = f"v{next(self._numbers)}"
        return name

    def read(self, atom: Any) -> str:
        """The name of what an equation reads."""
        if isinstance(atom, core.Literal):
            return self._constant(scalar(atom.val, _dtype(atom)))
        return self._places[atom]

    def _constant(self, value: Any) -> str:
        name = f"c{next(self._numbers)}"
        self.names[name] = value
        return name

    def check(self, name: str, dtype: np.dtype[Any]) -> None:
        """Has the function stop if a number is subnormal."""
        if dtype in TINY:
            tiny = f"tiny_{dtype.name}"
            self.names[tiny] = dtype.type(TINY[dtype])
            self.lines.append(f" if abs({name}) < {tiny} and {name}: return")

    def write(self, jaxpr: Any) -> None:
        """Writes a jaxpr's equations, whose inputs have their places."""
        for equation in jaxpr.eqns:
            self._left -= 1
            if self._left < 0:
                raise _NotWritten
            inner = called(equation)
            if inner is None:
                self._operation(equation)
            else:
                self._call(equation, inner)

    def _call(self, equation: Any, inner: Any) -> None:
        bare = jaxprs.bare(inner)
        for variable, value in zip(bare.constvars, getattr(inner, "consts", ()), strict=True):
            dtype = _dtype(variable)
            self._places[variable] = self._constant(scalar(value, dtype))
            self.check(self._places[variable], dtype)
        for variable, atom in zip(bare.invars, equation.invars, strict=True):
            self._places[variable] = self.read(atom)
        self.write(bare)
        for variable, atom in zip(equation.outvars, bare.outvars, strict=True):
            self._places[variable] = self.read(atom)

    def _operation(self, equation: Any) -> None:
        name = equation.primitive.name
        rule = RULES.get(name)
        if rule is None or equation.primitive.multiple_results:
            raise _NotWritten
        [result] = equation.outvars
        operands = [self.read(atom) for atom in equation.invars]
        dtypes = [_dtype(atom) for atom in equation.invars]
        if dtypes and not elementwise.takes(name, dtypes[0]):
            raise _NotWritten
        dtype, value = _dtype(result), self.place(result)
        expression = self._expression(name, equation.params, operands, dtypes, dtype)
        if expression is None:
            call = f"{self._constant(rule)}({self._constant(equation.params)}, {{}})"
            self.lines += [
                f" {value} = {call.format(', '.join(operands))}",
                f" if {value} is None or {value}.dtype != {self._constant(dtype)}: return",
                f" {value} = {value}[()]",
            ]
        else:
            self.lines.append(f" {value} = {expression}")
        self.check(value, dtype)

    def _expression(
        self,
        name: str,
        parameters: Mapping[str, Any],
        operands: Sequence[str],
        dtypes: Sequence[np.dtype[Any]],
        result: np.dtype[Any],
    ) -> str | None:
        """An operation by operators, or `None` if its rule has to be called."""
        kind = KIND[dtypes[0]]
        if name in _OPERATORS:
            return _OPERATORS[name].format(*operands)
        match name, kind:
            case "sqrt", "f":
                return f"sqrt({operands[0]})"
            case "neg", "i" | "f":
                return f"-{operands[0]}"
            case "abs", "i" | "f":
                return f"abs({operands[0]})"
            case "not", "b":
                return f"~{operands[0]}"
            case "select_n", "b":
                return f"{operands[2]} if {operands[0]} else {operands[1]}"
            case "convert_element_type", _ if dtypes[0] == result:
                return operands[0]
            case "convert_element_type", "b":
                return f"{self._constant(result.type)}({operands[0]})"
        return None


def _dtype(atom: Any) -> np.dtype[Any]:
    dtype = getattr(atom.aval, "dtype", None)
    if dtype not in DTYPES or atom.aval.shape != ():
        raise _NotWritten
    return np.dtype(dtype)
