"""A student's function as the instructor's cells see it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from graders import observe
from graders.grading.proxies import RemoteError, RemoteFunction
from graders.observe import RETURNED, TIMED_OUT, Observable, Observation
from graders.perform import Observer


class Here:
    """A home in this process."""

    def __init__(self, **functions):
        self.functions = functions

    def observe(self, name, calls):
        observer = Observer()
        return tuple(observer.observe(self.functions[name], call) for call in calls)


def remote(fn):
    return RemoteFunction(Here(f=fn), "f")


def test_called_directly():
    f = remote(lambda x, y=1: (x + y, [y]))
    assert f(2) == (3, [1])
    assert f(2, y=np.float32(0.5)) == (2.5, [0.5])
    assert isinstance(f, Observable)
    assert callable(f)
    assert repr(f) == "<f in the student's kernel>"


def test_observed_through_transformations():
    f = remote(lambda x: x * x)
    seen = observe.observe(f, np.float32(3), through=observe.grad(0))
    assert seen.value == (6.0,)
    assert observe.observe(f, np.ones(3, np.float32), through="jit").program.count("mul") == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda f: jax.jit(f)(1.0),
        lambda f: jax.vmap(f)(jnp.ones(3)),
        lambda f: jax.grad(f)(1.0),
        lambda f: jax.make_jaxpr(f)(1.0),
        lambda f: jax.lax.scan(lambda c, x: (f(c), x), 0.0, jnp.ones(2)),
        lambda f: f(object()),
    ],
)
def test_transformed_on_this_side_it_says_how_to_do_it(call):
    with pytest.raises(TypeError) as caught:
        call(remote(lambda x: x))
    message = str(caught.value)
    assert "use graders.observe.observe(f, …, through='jit')" in message
    assert message.count(". ") == 0


def test_arrays_stay_what_they_were():
    f = remote(lambda x: [(x * 2, 1)])
    result = f(jnp.arange(3))[0][0]
    assert isinstance(result, jax.Array)
    assert result.dtype == jnp.int32
    assert isinstance(remote(lambda x: np.asarray(x))(np.ones(2)), np.ndarray)


def test_x64_arrays_stay_it():
    array = np.array([1.0, 1e-300])

    class Sixty:
        def observe(self, name, calls):
            return (Observation(RETURNED, array, array_kind="jax"),)

    result = RemoteFunction(Sixty(), "f")()
    assert isinstance(result, jax.Array)
    assert result.dtype == np.float64
    assert np.array_equal(np.asarray(result), array)


class OwnError(KeyError):
    pass


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("no"), ValueError),
        (OwnError("no"), KeyError),
        (NotImplementedError(), NotImplementedError),
        (ZeroDivisionError("no"), ArithmeticError),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "no"), RemoteError),
        (SystemExit(0), RemoteError),
        (GeneratorExit(), RemoteError),
        (type("ValueError", (Exception,), {})("no"), ValueError),
    ],
)
def test_exceptions_are_of_pythons_own_kinds(error, kind):
    def f():
        raise error

    with pytest.raises(kind) as caught:
        remote(f)()
    assert isinstance(caught.value, RemoteError)
    assert isinstance(caught.value, Exception)
    assert type(error).__name__ in str(caught.value)


def test_a_call_that_does_not_come_back():
    class Gone:
        def observe(self, name, calls):
            return tuple(Observation(TIMED_OUT) for _ in calls)

    with pytest.raises(RemoteError, match="f did not return: timed out"):
        RemoteFunction(Gone(), "f")(1)
