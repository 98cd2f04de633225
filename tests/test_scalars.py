"""A program on single numbers, written out, gives what XLA gives to the last bit, or nothing."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from graders import jaxprs, scalars, stepwise
from graders.elementwise import KIND
from tests.test_elementwise import NUMBERS, ONE, TWO

ORDINARY = {"f": [1.5, -3.0, 2.0, 1024.0], "i": [3, -2, 7], "u": [3, 7, 2], "b": [True, False]}


def written(function, *numbers):
    return scalars.function(jaxprs.bare(jax.make_jaxpr(function)(*numbers)))


def bits(value):
    array = np.asarray(value)
    return array.view(f"u{array.itemsize}") if KIND[array.dtype] == "f" else array


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_operators_give_what_xla_gives(dtype):
    asked = 0
    for function, arity in (*((f, 1) for f in ONE), *((f, 2) for f in TWO)):
        try:
            run = written(function, *[np.zeros((), dtype)] * arity)
        except TypeError:  # JAX has no such operation on that dtype
            continue
        if run is None:  # nor has `graders.elementwise`
            continue
        rows = list(itertools.product(NUMBERS[dtype], repeat=arity))
        columns = (np.array(column, dtype) for column in zip(*rows, strict=True))
        expected = np.asarray(jax.jit(function)(*columns))
        with np.errstate(all="ignore"):
            results = [run(*row) for row in rows]
            ordinary = itertools.product(ORDINARY[KIND[dtype]], repeat=arity)
            assert None not in [run(*np.array(row, dtype)) for row in ordinary]
        for result, its in zip(results, expected, strict=True):
            if result is not None:
                assert isinstance(result[0], np.generic) and result[0].dtype == its.dtype
                assert bits(result[0]) == bits(its) or (np.isnan(result[0]) and np.isnan(its))
                asked += 1
    assert asked >= 8


def test_a_program_with_calls_constants_and_choices():
    third = jnp.float32(1) / 3

    @jax.jit
    def nested(x):
        return jnp.where(x > third, x * third, -x), 7

    def program(a, k):
        x, seven = nested(a * a)
        return x, (abs(x) < 2) & ~(k > 3), k + seven, a, third

    closed = jax.make_jaxpr(program)(jnp.float32(2), jnp.int32(1))
    run = scalars.function(jaxprs.bare(closed))
    constants = [scalars.scalar(value, None) for value in closed.consts]
    for a, k in ((np.float32(1.7), np.int32(3)), (np.float32(-0.2), np.int32(4))):
        expected = jax.jit(program)(a, k)
        got = run(*constants, a, k)
        assert [value.dtype for value in got] == [value.dtype for value in expected]
        np.testing.assert_array_equal([float(x) for x in got], [float(x) for x in expected])


def test_a_function_that_is_called_again_keeps_its_steps_apart():
    @jax.jit
    def nested(x):
        double = x * 2
        return double * (double + 1) - x

    def program(x):
        return nested(x) + nested(nested(x))

    assert written(program, jnp.float32(3))(np.float32(3)) == [program(jnp.float32(3))] == [6162]


@pytest.mark.parametrize("number", [1e-40, -1e-45])
def test_subnormal_numbers_are_left_to_jax(number):
    run = written(lambda x: x + 1, jnp.float32(1))
    assert run(np.float32(1)) == [2]
    assert run(np.float32(number)) is None
    assert written(lambda x: x * 1e-30, jnp.float32(1))(np.float32(1e-12)) is None


@pytest.mark.parametrize(
    "function",
    [
        jnp.arctan,
        lambda x: x[None] + jnp.ones(3),
        lambda x: lax.while_loop(lambda c: c < 9, lambda c: c + 1, x),
        lambda x: jax.random.bits(jax.random.key(1)) + x,
        lambda x: sum(x for _ in range(500)),
        lambda x: x.astype(int) // 2,
    ],
)
def test_other_programs_are_not_written_out(function):
    assert written(function, jnp.float32(1)) is None


def test_it_runs_the_steps_of_a_loop(monkeypatch):
    singly = []
    by_numpy = stepwise._by_numpy
    monkeypatch.setattr(stepwise, "_by_numpy", lambda *args: singly.append(args) or by_numpy(*args))

    def root(x):
        return lax.fori_loop(0, 50, lambda i, c: 0.5 * (c + x / c), x)

    executable = stepwise.Executable(jax.jit(root).trace(jnp.float32(2)))
    result = executable([np.float32(2)])
    np.testing.assert_array_equal(result, root(jnp.float32(2)))
    assert 0 < len(singly) < 20
