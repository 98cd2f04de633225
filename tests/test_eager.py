"""A plain call stays what it is; only who computes is another one."""

from __future__ import annotations

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from graders import eager, stepwise
from tests.test_stepwise import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_gives_what_jax_gives(name):
    function, args = PROGRAMS[name]
    with eager.computing():
        got = function(*args)
    expected = function(*args)
    assert jax.tree.structure(got) == jax.tree.structure(expected)
    for mine, its in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        assert type(mine) is type(its)
        assert jnp.shape(mine) == jnp.shape(its) and jnp.result_type(mine) == jnp.result_type(its)
        np.testing.assert_allclose(np.asarray(mine), np.asarray(its), rtol=1e-6)


def weak(x):
    return lax.scan(lambda c, y: (c + 1, y), 1.5, x)


def powers(x):
    return jnp.stack([v**2 for v in x])


def masked(x):
    return jnp.where(x > 1, x, -jnp.inf).at[jnp.array([0, 0])].add(1.0)


@pytest.mark.parametrize("function", [weak, powers, masked, jax.grad(lambda x: powers(x).sum())])
def test_dtypes_and_their_weakness_stay(function):
    x = jnp.arange(4, dtype=jnp.float16)
    with eager.computing():
        got = function(x)
    for mine, its in zip(jax.tree.leaves(got), jax.tree.leaves(function(x)), strict=True):
        assert (mine.dtype, mine.weak_type) == (its.dtype, its.weak_type)
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(its))


def test_values_are_concrete_outside_of_loops_and_traced_within():
    def branches(x):
        return x * 2 if x > 0 else -x

    with eager.computing():
        assert float(branches(jnp.float32(-3))) == 3
        assert float(jax.vmap(jnp.sin)(jnp.zeros(2))[0]) == 0
        with pytest.raises(jax.errors.TracerBoolConversionError):
            lax.scan(lambda c, x: (branches(x), c), jnp.float32(1), jnp.ones(2))
    assert eager.core.find_top_trace(()) is eager._TRACE


def compilations(function):
    """The names of the functions that are compiled while it runs."""
    names = []

    def listen(event, _, fun_name="", **__):
        if event == "/jax/core/compile/backend_compile_duration":
            names.append(fun_name)

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        function()
    finally:
        jax.monitoring.clear_event_listeners()
    return names


def test_nothing_is_compiled_but_what_takes_long():
    rows = jnp.arange(13.0)  # a length that no other test compiles anything for

    def scanned(x):
        return lax.scan(lambda c, y: (c * y + 0.5, c), jnp.zeros_like(x[0]), x * x - 1)

    def computed():
        with eager.computing():
            scanned(rows)

    assert compilations(computed) == []
    assert compilations(lambda: scanned(rows))


def test_a_long_loop_is_left_to_jax():
    with eager.computing():
        count = lax.fori_loop(0, stepwise.MAX_OPERATIONS, lambda i, c: c + 1, jnp.int32(0))
    assert int(count) == stepwise.MAX_OPERATIONS


def test_what_follows_a_long_loop_is_not_compiled():
    rows = jnp.arange(17.0)
    with eager.computing():
        lax.scan(lambda c, _: (c * 2, None), rows, length=stepwise.MAX_OPERATIONS + 1)
        assert compilations(lambda: rows * rows) == []


def test_a_derivative_of_the_students_own_is_used():
    @jax.custom_jvp
    def f(x):
        return x * 3

    f.defjvp(lambda p, t: (f(*p), 7 * t[0]))

    @jax.custom_vjp
    def g(x):
        return x * 3

    g.defvjp(lambda x: (g(x), None), lambda _, c: (11 * c,))
    x = jnp.float32(2)
    with eager.computing():
        assert (float(f(x)), float(g(x))) == (6, 6)
        assert (float(jax.grad(f)(x)), float(jax.grad(g)(x))) == (7, 11)


def test_it_may_be_imported_while_something_is_traced():
    trace = eager._TRACE
    jax.jit(lambda x: importlib.reload(eager) and x)(1.0)
    assert eager._TRACE is trace
