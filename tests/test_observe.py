"""Observing a function: every way of calling it, whatever it does, and the trip through JSON."""

import json
from typing import NamedTuple

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from graders import observe as seeing
from graders.observe import (
    JIT,
    TRACE,
    Call,
    Observable,
    Observation,
    Undefined,
    call_from_json,
    call_to_json,
    grad,
    observation_from_json,
    observation_to_json,
    observe,
    observe_all,
    vmap,
    watch,
)

X = np.array([1, 2, 3], np.float32)


class Remote(Observable):
    """A function behind JSON, as when grading."""

    def __init__(self, fn):
        self.fn = fn

    def observe_calls(self, calls):
        calls = [call_from_json(json.loads(json.dumps(call_to_json(call)))) for call in calls]
        replies = [json.dumps(observation_to_json(o)) for o in observe_all(self.fn, calls)]
        return tuple(observation_from_json(json.loads(reply)) for reply in replies)


@pytest.fixture(params=["here", "through JSON"])
def at(request):
    """Wraps a function, so that it is observed here or elsewhere."""
    return Remote if request.param == "through JSON" else lambda fn: fn


def double(x):
    return 2 * x


# --- what a call comes to -----------------------------------------------------------------


def test_a_plain_call(at):
    seen = observe(at(double), X)
    assert (seen.status, seen.through, seen.array_kind) == ("returned", (), "jax")
    assert seen.value.tolist() == [2, 4, 6]
    assert (seen.value.dtype, type(seen.value)) == (np.float32, np.ndarray)
    assert seen.program is None


def test_jit_gives_the_value_and_the_program_of_the_same_trace(at):
    traces = []

    def fn(x):
        traces.append(x)
        return lax.scan(lambda c, x: (c + x, c), 0.0, x)[0]

    seen = observe(at(fn), X, through="jit")
    assert seen.value == 6
    assert seen.program.count("scan") == 1
    assert len(traces) == 1


def test_trace_runs_nothing(at):
    seen = observe(
        at(lambda x: lax.while_loop(lambda c: c > 0, lambda c: c + 1, x)), 1.0, through="trace"
    )
    assert (seen.status, seen.value) == ("returned", None)
    assert seen.program.count("while") == 1


def test_vmap_takes_in_axes(at):
    seen = observe(
        at(lambda x, y: x.sum() + y), X[None] + X[:, None], 1.0, through=(vmap(0, None), JIT)
    )
    assert seen.value.tolist() == [10, 13, 16]
    assert seen.through == ("vmap", "jit")


def test_grad_is_that_of_the_weighted_sum(at):
    def fn(x, y):
        return {"ignored": x}, x**2 * y

    weights = np.array([1, 10, 100], np.float32)
    seen = observe(at(fn), X, 2.0, through=grad(0, 1, output=1, weights=weights))
    by_x, by_y = seen.value
    np.testing.assert_allclose(by_x, 4 * X * weights)
    np.testing.assert_allclose(by_y, (X**2 * weights).sum())


def test_grad_of_an_array_without_weights(at):
    assert observe(at(lambda x: x**2), X, through=(grad(), JIT)).value[0].tolist() == [2, 4, 6]


def test_watch_stops_what_never_ends_and_says_so(at):
    def fn(x):
        return lax.while_loop(lambda c: c > 0, lambda c: c + 1, x)

    seen = observe(at(fn), 1.0, through=watch(limit=5))
    assert seen.value == 6
    [event] = seen.events
    assert (event.primitive, int(event.details["steps"])) == ("while", 5)
    assert not event.details["finished"]


def test_keyword_arguments_are_static(at):
    def fn(x, *, n):
        return sum(x for _ in range(n))

    assert observe(at(fn), 1.0, n=3, through="jit").value == 3


def test_numbers_stay_python_numbers_and_arrays_keep_their_dtype(at):
    def fn(half, number, flags):
        assert type(number) is int
        return half * number, flags

    seen = observe(at(fn), np.ones(2, ml_dtypes.bfloat16), 3, np.array([True, False]))
    assert [str(leaf.dtype) for leaf in seen.value] == ["bfloat16", "bool"]


class Pair(NamedTuple):
    x: object
    k: int


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (Pair(jnp.ones(2), 3), "jax"), ([np.float32(1), 2], "numpy"), ((1, jnp.ones(2)), "python"),
        ({"a": jnp.ones(1)}, "python"), ("text", "python"), (None, "python"), ((), "python"),
    ],
    ids=str,
)  # fmt: skip
def test_what_kind_of_thing_came_back(value, kind, at):
    assert observe(at(lambda: value)).array_kind == kind


def test_a_named_tuple_is_a_tuple(at):
    value = observe(at(lambda: Pair(jnp.ones(2), 3))).value
    assert type(value) is tuple
    assert value[1] == 3


def test_a_result_shares_nothing_with_the_answer():
    mine = np.zeros(2)
    seen = observe(lambda: mine)
    mine[0] = 1
    assert seen.value.tolist() == [0, 0]


# --- calls in company ---------------------------------------------------------------------


def test_calls_alike_in_shape_share_one_trace():
    traces = []

    def fn(x, y):
        traces.append(x)
        return x * y

    calls = [Call((X * k, float(k)), through=(JIT,)) for k in (1, 2, 3)]
    seen = observe_all(fn, calls)
    assert [o.value.tolist() for o in seen] == [[k * k, 2 * k * k, 3 * k * k] for k in (1, 2, 3)]
    assert len(traces) == 1
    observe_all(fn, [Call((X.astype(np.float16), 1.0), through=(JIT,))])
    assert len(traces) == 2


def test_nothing_is_kept_from_one_check_to_the_next():
    factor = [2]

    def fn(x):
        return factor[0] * x

    assert observe(fn, X, through="jit").value[0] == 2
    factor[0] = 3
    assert observe(fn, X, through="jit").value[0] == 3
    assert observe(jax.jit(fn), X).value[0] == 3


def test_the_next_way_is_tried_where_one_raises(at):
    def fn(x):
        return float(x[0]) * x

    calls = [
        Call((X,), through=(JIT,), otherwise=((),)),
        Call((X,), through=(JIT,)),
        Call((X,), through=(JIT,), otherwise=((TRACE,), ())),
    ]
    plain, raised, third = observe_all(at(fn), calls)
    assert (plain.status, plain.through, plain.value.tolist()) == ("returned", (), [1, 2, 3])
    assert raised.status == "raised"
    assert raised.problem.is_a("ConcretizationTypeError")
    assert third.through == ()


def test_the_first_way_is_enough_where_it_works(at):
    [seen] = observe_all(at(double), [Call((X,), through=(JIT,), otherwise=((),))])
    assert seen.through == ("jit",)


def test_an_unwritten_function_is_called_once():
    calls = []

    def fn(x):
        calls.append(x)
        raise NotImplementedError("YOUR CODE HERE")

    [seen] = observe_all(fn, [Call((X,), through=(JIT,), otherwise=((), (TRACE,)))])
    assert seen.problem.is_a("NotImplementedError")
    assert len(calls) == 1


def test_jit_works_although_the_student_disabled_it():
    with jax.disable_jit():
        seen = observe(lambda x: lax.scan(lambda c, x: (c + x, c), 0.0, x)[0], X, through="jit")
    assert seen.program.count("scan") == 1


# --- what goes wrong ----------------------------------------------------------------------


def test_an_exception_is_told_with_the_line_of_the_answer(at):
    def fn(x):
        return jnp.dot(x, jnp.ones(7))  # the guilty line

    for through in ((), "jit"):
        problem = observe(at(fn), X, through=through).problem
        assert problem.kind == "TypeError"
        assert problem.line == "return jnp.dot(x, jnp.ones(7))  # the guilty line"
        assert problem.number == fn.__code__.co_firstlineno + 1
        assert "dot" in problem.message
        assert problem.is_a("Exception", "Nothing")
        assert not problem.is_a("ValueError")


def test_a_message_does_not_speak_of_the_grader(at):
    problem = observe(at(lambda x: float(x[0])), X, through="jit").problem
    assert "while tracing" not in problem.message
    assert len(problem.message) <= 600


def test_wrong_arguments_are_the_answers_problem(at):
    problem = observe(at(lambda: 0), X).problem
    assert problem.kind == "TypeError"


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no message for you")

    __repr__ = __str__


class Foreign(BaseException):
    pass


def failing(error):
    def fn(*_):
        raise error

    return fn


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Mute(), "Mute"), (Foreign("x"), "Foreign"), (SystemExit(3), "SystemExit"),
        (GeneratorExit(), "GeneratorExit"), (RecursionError("deep"), "RecursionError"),
        (StopIteration(), "StopIteration"), (Exception("x" * 10_000), "Exception"),
        (ExceptionGroup("both", [ValueError(1)]), "ExceptionGroup"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_nothing_that_is_raised_gets_through(error, kind, at):
    for through in ((), JIT):
        seen = observe(at(failing(error)), X, through=through)
        assert seen.status == "raised"
        assert seen.problem.kind == kind
        assert len(seen.problem.message) <= 600


def test_an_interrupt_gets_through():
    with pytest.raises(KeyboardInterrupt):
        observe(failing(KeyboardInterrupt()), X)


def test_memory_that_runs_out_is_told_apart(at):
    assert observe(at(failing(MemoryError())), X).status == "out-of-memory"


class Hostile:
    """Raises whatever is asked of it."""

    def __getattr__(self, name):
        raise Foreign(name)

    def __str__(self):
        raise Foreign("str")

    __repr__ = __len__ = __bool__ = __iter__ = __array__ = __hash__ = __str__

    def __eq__(self, other):
        raise Foreign("eq")

    def __getitem__(self, key):
        return self

    def __instancecheck__(self, other):
        raise Foreign("isinstance")


class Nested(list):
    """A list that contains itself."""

    def __init__(self):
        super().__init__([self])


@pytest.mark.parametrize(
    "value",
    [Hostile(), (Hostile(), 1), Nested(), object(), double, [object()], {Hostile: 1}, 10**5000,
     "x" * 5_000_000, np.zeros(5_000_000, bool), np.array(["a"])],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_result_that_is_not_plain_data_is_a_problem_and_not_ours(value, at):
    seen = observe(at(lambda: value))
    assert (seen.status, seen.value) == ("raised", None)
    assert seen.problem.message


@pytest.mark.parametrize(
    "answer", [Hostile(), 3, None, "text", int], ids=lambda value: type(value).__name__
)
def test_anything_may_stand_where_a_function_should(answer):
    assert observe(answer, X, X, through="jit").status == "raised"


def test_callbacks_into_python_are_refused(at):
    def fn(x):
        return jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((3,), jnp.float32), x)

    for steps in ("jit", watch(), (grad(), JIT)):
        seen = observe(at(fn), X, through=steps)
        assert seen.status in ("refused", "raised")
    seen = observe(at(fn), X, through="trace")
    assert seen.status == "refused"
    assert "pure_callback" in seen.problem.message


def test_printing_from_compiled_code_is_fine(at, capfd):
    def fn(x):
        jax.debug.print("{x}", x=x[0])
        return x

    assert observe(at(fn), X, through="jit").returned


def test_an_unknown_transformation_is_said(at):
    assert "unknown transformation" in observe(at(double), X, through="pmap").problem.message


# --- names that are not there -------------------------------------------------------------


def test_an_undefined_name_is_observable_and_callable():
    missing = Undefined("softmax")
    assert isinstance(missing, Observable)
    assert observe(missing, X).status == seeing.UNDEFINED
    with pytest.raises(NameError, match="softmax"):
        missing(X)


def test_a_proxy_is_asked_and_never_called():
    class Proxy(Observable):
        def __call__(self, *_):
            raise AssertionError

        def observe_calls(self, calls):
            return tuple(Observation("returned", len(calls)) for _ in calls)

    assert observe(Proxy(), X).value == 1


# --- JSON ---------------------------------------------------------------------------------

CALLS = [
    Call((X, 0.5, 3), {"n": 3, "names": ("a", None)}),
    Call((np.ones((2, 3), ml_dtypes.bfloat16), np.array([True])), through=(vmap(0, None), JIT)),
    Call((X,), through=(grad(0, 2, output=1, weights=X), watch(7)), otherwise=((), (TRACE, JIT))),
    Call((), through=(vmap(),)),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: str([s.name for s in call.through]))
def test_a_call_survives_json(call):
    back = call_from_json(json.loads(json.dumps(call_to_json(call))))
    assert call_to_json(back) == call_to_json(call)
    assert [step.key() for step in back.through] == [step.key() for step in call.through]
    assert [type(argument) for argument in back.args] == [type(argument) for argument in call.args]


def fails(x):
    raise ValueError(f"not {x.shape}")


@pytest.mark.parametrize(
    "fn",
    [double, fails, lambda x: {"a": (x, jnp.bfloat16(x[0]))}],
    ids=["double", "fails", "mixed"],
)
@pytest.mark.parametrize("steps", [(), (JIT,), (TRACE,), (watch(3),)], ids=str)
def test_an_observation_is_the_same_here_and_through_json(fn, steps):
    call = Call((X,), through=steps)
    [here], [there] = observe_all(fn, [call]), observe_all(Remote(fn), [call])
    assert observation_to_json(here) == observation_to_json(there)
    assert (here.problem, here.program) == (there.problem, there.program)


GOOD = {
    "status": "returned", "value": 1, "problem": None, "program": None, "events": [], "through": [],
    "array_kind": "jax",
}  # fmt: skip
PROBLEM = {"kind": "E", "bases": [], "message": "", "line": "", "number": 0}


@pytest.mark.parametrize(
    "document",
    [
        None, 1, "returned", [], {}, [GOOD], {key: GOOD[key] for key in GOOD if key != "events"},
        GOOD | {"status": "passed"}, GOOD | {"status": "timed-out"}, GOOD | {"status": [1]},
        GOOD | {"value": {"pickle": ""}}, GOOD | {"value": [1]}, GOOD | {"problem": 1},
        GOOD | {"problem": {}}, GOOD | {"problem": PROBLEM | {"number": "x"}},
        GOOD | {"problem": PROBLEM | {"bases": 1}}, GOOD | {"program": {}}, GOOD | {"program": [1]},
        GOOD | {"events": 3}, GOOD | {"events": [1]},
        GOOD | {"events": [{"primitive": "x", "details": {"set": [{"list": []}]}}]},
        GOOD | {"through": None},
    ],
    ids=lambda document: str(document)[-40:],
)  # fmt: skip
def test_malformed_observations_are_refused(document):
    with pytest.raises((ValueError, TypeError)):
        observation_from_json(document)


def test_a_reply_is_cut_to_size():
    problem = PROBLEM | {
        "kind": "k" * 999,
        "message": "m" * 9999,
        "line": "l" * 999,
        "bases": ["b"] * 99,
    }
    back = observation_from_json(GOOD | {"problem": problem, "array_kind": "a" * 99})
    assert [len(text) for text in (back.problem.kind, back.problem.message, back.problem.line)] == [
        80, 600, 200,
    ]  # fmt: skip
    assert len(back.problem.bases) == 20
    assert len(back.array_kind) == 20
