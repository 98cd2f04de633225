"""Observing a student's function: what to call it with, and what was seen.

`observe` is the one way in. A `Call` says how a function is to be called, an
`Observation` what came of it; both are plain data that round-trips through JSON, so
the function may live here or in another process. Judging needs nothing but observations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graders import jaxprs, values

RETURNED = "returned"
RAISED = "raised"
REFUSED = "refused"
TIMED_OUT = "timed-out"
CRASHED = "crashed"
OUT_OF_MEMORY = "out-of-memory"
MALFORMED = "malformed"
UNDEFINED = "undefined"
STATUSES = (RETURNED, RAISED, REFUSED, TIMED_OUT, CRASHED, OUT_OF_MEMORY, MALFORMED, UNDEFINED)


@dataclass(frozen=True)
class Step:
    """One transformation on the way to a function.

    Attributes:
        name: `"jit"`, `"vmap"`, `"grad"`, `"watch"`, `"history"` or `"trace"`.
        in_axes: for vmap, as `jax.vmap` takes it; one entry per argument.
        argnums: for grad, the arguments to differentiate with respect to.
        output: for grad, which item of a returned tuple is differentiated; `None` if the
            function returns an array.
        weights: for grad, the scalar differentiated is `sum(weights * result)`; `None`
            stands for all ones.
        limit: for watch and history, the number of steps after which a loop is stopped.
    """

    name: str
    in_axes: tuple[int | None, ...] | None = None
    argnums: tuple[int, ...] = (0,)
    output: int | None = None
    weights: Any = None
    limit: int = 100

    def key(self) -> tuple[Any, ...]:
        """What tells this step from others, as something hashable."""
        weights = None if self.weights is None else repr(values.encode(self.weights))
        return (self.name, self.in_axes, self.argnums, self.output, weights, self.limit)


JIT = Step("jit")
"""Trace once, compile, run. The observation then also has the jaxpr of that same trace."""

TRACE = Step("trace")
"""Trace only; the observation has the jaxpr and no value."""


def vmap(*in_axes: int | None) -> Step:
    """`jax.vmap` with these `in_axes`, one for each argument."""
    return Step("vmap", in_axes=in_axes)


def grad(*argnums: int, output: int | None = None, weights: Any = None) -> Step:
    """Reverse-mode derivative of `sum(weights * result)` with respect to `argnums`.

    The observed value is a tuple with one gradient per entry of `argnums`.
    """
    return Step("grad", argnums=argnums or (0,), output=output, weights=weights)


def watch(limit: int = 100) -> Step:
    """Run the traced program with every while loop stopped after `limit` steps.

    The observation's `events` then say what the outermost control flow did: one `Event`
    for each while loop, cond and clamp outside of loops and branches.
    """
    return Step("watch", limit=limit)


def history(limit: int) -> Step:
    """Run the traced program and write down what its first loop carries.

    The observation's `events` are then one `"step"` for each step of that loop, with the
    results of its body. A loop that goes on after `limit` steps is given up: the value is `None`.
    """
    return Step("history", limit=limit)


@dataclass(frozen=True)
class Call:
    """One way of calling a function.

    Attributes:
        args: positional arguments: NumPy arrays (they arrive as JAX arrays of the same
            dtype and shape) or Python numbers (they arrive as they are).
        kwargs: keyword arguments, static under every transformation.
        through: the transformations, innermost first; empty for a plain call.
        otherwise: further such tuples, tried in turn where the ones before raise.
        label: what this call tries, in a few words for the table of results.
    """

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    through: tuple[Step, ...] = ()
    otherwise: tuple[tuple[Step, ...], ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Problem:
    """An exception, as plain data.

    Attributes:
        kind: the name of its class.
        bases: the names of all classes it is an instance of.
        message: its text, shortened to 600 characters.
        line: the line of the student's code in which it was raised, or `""`.
        number: that line's number in its cell, or 0.
    """

    kind: str
    bases: tuple[str, ...] = ()
    message: str = ""
    line: str = ""
    number: int = 0

    def is_a(self, *names: str) -> bool:
        """Whether it is an instance of a class with one of these names."""
        return any(name in self.bases for name in names) or self.kind in names

    @property
    def is_blank(self) -> bool:
        """Whether it is what a released cell raises until it is answered."""
        return self.is_a("NotImplementedError")


@dataclass(frozen=True)
class Event:
    """What a watched piece of control flow did.

    Attributes:
        primitive: `"while"` (details `steps`, `finished`), `"cond"` (details `index`,
            `branches`) or `"clamp"` (details `low`, `operand`, `high`).
        details: NumPy values by name.
    """

    primitive: str
    details: Mapping[str, Any]


@dataclass(frozen=True)
class Observation:
    """What came of a call.

    Attributes:
        status: one of `STATUSES`.
        value: what was returned, as plain data with NumPy arrays.
        problem: the exception, if the status is `"raised"`; the reason, if there was
            another one.
        program: the summary of the traced jaxpr, where the call was traced as a whole.
        events: what watched control flow did.
        through: the transformations that were used in the end.
        array_kind: `"jax"`, `"numpy"` or `"python"`: what the first leaf of the value was.
    """

    status: str
    value: Any = None
    problem: Problem | None = None
    program: jaxprs.Program | None = None
    events: tuple[Event, ...] = ()
    through: tuple[str, ...] = ()
    array_kind: str = ""

    @property
    def returned(self) -> bool:
        """Whether the call returned."""
        return self.status == RETURNED


class Observable(ABC):
    """A function that lives elsewhere and is observed there."""

    @abstractmethod
    def observe_calls(self, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Makes the calls where the function lives. Called by `observe_all`."""


class Undefined(Observable):
    """Stands for a name that the student's notebook does not define.

    Args:
        name: the name.
        status: what a call of it comes to; `"undefined"`, unless the cell that should define
            the name did not get to its end.
        problem: the exception that this cell raised, if it did.
    """

    def __init__(self, name: str, status: str = UNDEFINED, problem: Problem | None = None) -> None:
        self.name = name
        self.status = status
        self.problem = problem

    def observe_calls(self, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Every call comes to the same."""
        return tuple(Observation(self.status, problem=self.problem) for _ in calls)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NameError(f"name {self.name!r} is not defined", name=self.name)


def observe(
    answer: Any, *args: Any, through: str | Step | Sequence[Step] = (), **kwargs: Any
) -> Observation:
    """Calls a function once and says what came of it, without ever raising.

    Args:
        answer: the student's function, or a proxy for it.
        *args: its arguments.
        through: a transformation (`"jit"`, `"trace"`, a `Step`), or several, innermost first.
        **kwargs: its keyword arguments, static under jit.

    Returns:
        The observation.
    """
    if isinstance(through, str):
        through = Step(through)
    steps = (through,) if isinstance(through, Step) else tuple(through)
    return observe_all(answer, [Call(args, kwargs, steps)])[0]


def observe_all(answer: Any, calls: Sequence[Call]) -> tuple[Observation, ...]:
    """Makes several calls of one function; calls alike in shape share one compilation.

    Args:
        answer: the student's function, or a proxy for it.
        calls: the calls, made in this order.

    Returns:
        An observation for each call.
    """
    # `isinstance` asks the student's object itself, which may answer anything.
    if issubclass(type(answer), Observable):
        return answer.observe_calls(calls)
    # JAX is imported where a function is called, and nowhere else.
    from graders.perform import Observer

    observer = Observer()
    return tuple(observer.observe(answer, call) for call in calls)


# --- the JSON forms ---------------------------------------------------------------------


def call_to_json(call: Call) -> dict[str, Any]:
    """A `Call` as JSON.

    Raises:
        values.NotPlainError: if an argument is not plain data.
    """
    return {
        "args": [values.encode(argument) for argument in call.args],
        "kwargs": {name: values.encode(value) for name, value in call.kwargs.items()},
        "through": [_step_to_json(step) for step in call.through],
        "otherwise": [[_step_to_json(step) for step in steps] for steps in call.otherwise],
    }


def call_from_json(document: Mapping[str, Any]) -> Call:
    """The inverse of `call_to_json`; the label stays behind."""
    return Call(
        args=tuple(values.decode(argument) for argument in document["args"]),
        kwargs={name: values.decode(value) for name, value in document["kwargs"].items()},
        through=tuple(_step_from_json(step) for step in document["through"]),
        otherwise=tuple(
            tuple(_step_from_json(step) for step in steps) for steps in document["otherwise"]
        ),
    )


def _step_to_json(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "in_axes": None if step.in_axes is None else list(step.in_axes),
        "argnums": list(step.argnums),
        "output": step.output,
        "weights": values.encode(step.weights),
        "limit": step.limit,
    }


def _step_from_json(document: Mapping[str, Any]) -> Step:
    in_axes = document["in_axes"]
    return Step(
        name=document["name"],
        in_axes=None if in_axes is None else tuple(in_axes),
        argnums=tuple(document["argnums"]),
        output=document["output"],
        weights=values.decode(document["weights"]),
        limit=document["limit"],
    )


def observation_to_json(seen: Observation) -> dict[str, Any]:
    """An `Observation` as JSON.

    Raises:
        values.NotPlainError: if the value is not plain data.
    """
    problem = seen.problem
    return {
        "status": seen.status,
        "value": values.encode(seen.value),
        "problem": None
        if problem is None
        else {
            "kind": problem.kind,
            "bases": list(problem.bases),
            "message": problem.message,
            "line": problem.line,
            "number": problem.number,
        },
        "program": None if seen.program is None else jaxprs.program_to_json(seen.program),
        "events": [
            {"primitive": event.primitive, "details": values.encode(dict(event.details))}
            for event in seen.events
        ],
        "through": list(seen.through),
        "array_kind": seen.array_kind,
    }


def observation_from_json(document: Any) -> Observation:
    """The inverse of `observation_to_json`, for documents from an untrusted hand.

    Raises:
        ValueError: if the document has another form.
    """
    try:
        if document["status"] not in (RETURNED, RAISED, REFUSED, OUT_OF_MEMORY):
            raise ValueError(f"unknown status {str(document['status'])[:40]!r}")
        problem = document["problem"]
        program = document["program"]
        return Observation(
            status=document["status"],
            value=values.decode(document["value"]),
            problem=None if problem is None else _problem_from_json(problem),
            program=None if program is None else jaxprs.program_from_json(program),
            events=tuple(
                Event(str(event["primitive"])[:40], values.decode(event["details"]))
                for event in document["events"][:100]
            ),
            through=tuple(str(name)[:20] for name in document["through"]),
            array_kind=str(document["array_kind"])[:20],
        )
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"malformed observation: {error}") from None


def _problem_from_json(document: Mapping[str, Any]) -> Problem:
    return Problem(
        kind=str(document["kind"])[:80],
        bases=tuple(str(name)[:80] for name in document["bases"][:20]),
        message=str(document["message"])[:600],
        line=str(document["line"])[:200],
        number=int(document["number"]),
    )
