"""The one place that knows how JAX lays out its jaxprs.

`summarise` turns a jaxpr into plain data: nested primitives with the few parameters
that matter. The rest of the package reads that summary and never the jaxpr itself,
nor its printed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_EQUATIONS = 20_000
"""A larger program is cut off there; `Program.truncated` says so."""

CALLBACKS = frozenset({"pure_callback", "io_callback", "debug_callback", "python_callback"})
"""Primitives that call back into Python."""


@dataclass(frozen=True)
class Equation:
    """One equation of a jaxpr.

    Attributes:
        primitive: the primitive's name, for example `"scan"`.
        parameters: those parameters that are booleans, integers or short strings. `cond`
            additionally has `"branches"`, the number of its branches, and `pow` with a constant
            exponent has `"exponent"`, that number as text.
        shapes: the shapes of the equation's results.
        dtypes: the dtypes of the equation's results.
        inner: the programs nested in it: a loop's body, a cond's branches, a jitted function.
    """

    primitive: str
    parameters: dict[str, bool | int | str] = field(default_factory=dict)
    shapes: tuple[tuple[int, ...], ...] = ()
    dtypes: tuple[str, ...] = ()
    inner: tuple[Program, ...] = ()


@dataclass(frozen=True)
class Program:
    """A jaxpr as plain data.

    Attributes:
        equations: its equations in order.
        truncated: whether it was too long to be kept whole.
    """

    equations: tuple[Equation, ...] = ()
    truncated: bool = False

    def walk(self) -> Iterator[Equation]:
        """Yields every equation, those of nested programs included, outermost first."""
        for equation in self.equations:
            yield equation
            for program in equation.inner:
                yield from program.walk()

    def find(self, primitive: str) -> list[Equation]:
        """The equations with that primitive, at any depth."""
        return [equation for equation in self.walk() if equation.primitive == primitive]

    def count(self, *primitives: str) -> int:
        """How many equations, at any depth, have one of those primitives."""
        return sum(equation.primitive in primitives for equation in self.walk())

    def primitives(self) -> set[str]:
        """The names of all primitives, at any depth."""
        return {equation.primitive for equation in self.walk()}


def bare(jaxpr: Any) -> Any:
    """The open jaxpr of an open or closed one (jax 0.12 has merged the two)."""
    return getattr(jaxpr, "jaxpr", jaxpr)


def nested(equation: Any) -> list[tuple[str, Any]]:
    """The jaxprs in an equation's parameters, as (parameter name, jaxpr)."""
    found = []
    for name, value in equation.params.items():
        items = value if isinstance(value, tuple | list) else (value,)
        found += [(name, item) for item in items if hasattr(bare(item), "eqns")]
    return found


def summarise(jaxpr: Any) -> Program:
    """Turns a jaxpr, open or closed, into a `Program`.

    Equations that no result depends on are left out: a loop whose result is thrown away
    does not do the work.

    Source: `jax.extend.core`'s Jaxpr and JaxprEqn; the attributes used (`eqns`,
    `primitive.name`, `params`, `outvars`, `aval`) are alike in jax 0.10.2 and 0.12.0.1.
    """
    left = [MAX_EQUATIONS]

    def program(inner: Any) -> Program:
        equations: list[Equation] = []
        for equation in _live(bare(inner)):
            if left[0] <= 0:
                return Program(tuple(equations), truncated=True)
            left[0] -= 1
            equations.append(one(equation))
        return Program(tuple(equations))

    def one(equation: Any) -> Equation:
        parameters = {
            name: value
            for name, value in equation.params.items()
            if isinstance(value, bool | int) or (isinstance(value, str) and len(value) <= 80)
        }
        if "branches" in equation.params:
            parameters["branches"] = len(equation.params["branches"])
        if equation.primitive.name == "pow" and hasattr(equation.invars[1], "val"):
            parameters["exponent"] = str(equation.invars[1].val)
        avals = [variable.aval for variable in equation.outvars]
        return Equation(
            primitive=equation.primitive.name,
            parameters=parameters,
            shapes=tuple(tuple(int(n) for n in getattr(aval, "shape", ())) for aval in avals),
            dtypes=tuple(str(getattr(aval, "dtype", "")) for aval in avals),
            inner=tuple(program(item) for _, item in nested(equation)),
        )

    return program(jaxpr)


def _live(jaxpr: Any) -> list[Any]:
    """The equations that the results depend on, or that have effects, in order."""
    needed = {variable for variable in jaxpr.outvars if not hasattr(variable, "val")}
    live = []
    for equation in reversed(jaxpr.eqns):
        if equation.effects or needed.intersection(equation.outvars):
            live.append(equation)
            needed.update(atom for atom in equation.invars if not hasattr(atom, "val"))
    return live[::-1]


def program_to_json(program: Program) -> dict[str, Any]:
    """A `Program` as JSON."""
    equations = [
        {
            "primitive": equation.primitive,
            "parameters": equation.parameters,
            "shapes": [list(shape) for shape in equation.shapes],
            "dtypes": list(equation.dtypes),
            "inner": [program_to_json(inner) for inner in equation.inner],
        }
        for equation in program.equations
    ]
    return {"equations": equations, "truncated": program.truncated}


def program_from_json(document: dict[str, Any]) -> Program:
    """The inverse of `program_to_json`.

    Raises:
        ValueError: if the document has another form (it may come from an untrusted hand).
    """
    try:
        return Program(
            tuple(_equation_from_json(item) for item in document["equations"]),
            truncated=document["truncated"] is True,
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"malformed jaxpr summary: {error}") from None


def _equation_from_json(document: dict[str, Any]) -> Equation:
    parameters = {
        str(name): value
        for name, value in document["parameters"].items()
        if isinstance(value, bool | int | str)
    }
    return Equation(
        primitive=str(document["primitive"]),
        parameters=parameters,
        shapes=tuple(tuple(int(n) for n in shape) for shape in document["shapes"]),
        dtypes=tuple(str(dtype) for dtype in document["dtypes"]),
        inner=tuple(program_from_json(inner) for inner in document["inner"]),
    )
