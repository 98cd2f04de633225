"""Running a traced program one operation at a time gives what compiling it gives."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from graders import stepwise


def returns(rewards, dones, gamma):
    def body(later, step):
        reward, done = step
        now = reward + gamma * (1 - done) * later
        return now, (now, later)

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)


def newton(a):
    return lax.while_loop(
        lambda c: (jnp.abs(c[0] ** 2 - a) >= 1e-6 * a) & (c[1] < 30),
        lambda c: ((c[0] + a / c[0]) / 2, c[1] + 1),
        (a, 0),
    )


def pieces(x):
    return lax.switch(jnp.int32(jnp.ceil(x)), [jnp.sin, lambda v: v**2, jnp.exp], x)


def drawn(key):
    return lax.scan(lambda k, _: (jax.random.split(k)[0], jax.random.normal(k)), key, length=3)[1]


@jax.custom_jvp
def doubled(x):
    return 2 * x


doubled.defjvp(lambda p, t: (doubled(*p), 2 * t[0]))

ONES = jnp.arange(6.0)

PROGRAMS = {
    "reverse scan": (returns, (ONES, ONES % 2, 0.5)),
    "scan of one step": (returns, (ONES[:1], ONES[:1] % 2, 0.5)),
    "scan in float16": (returns, (ONES.astype(jnp.float16), ONES[::-1].astype(jnp.float16), 0.5)),
    "scan without inputs": (lambda x: lax.scan(lambda c, _: (c * 2, None), x, length=5), (3.0,)),
    "scan over nothing": (lambda x: lax.scan(lambda c, y: (c + y, c), 0.0, x), (ONES[:0],)),
    "scan of random keys": (drawn, (jax.random.key(1),)),
    "vmapped scan": (jax.vmap(returns, (0, 0, None)), (*[ONES.reshape(2, 3)] * 2, 0.9)),
    "gradient of a scan": (jax.grad(lambda r: returns(r, r % 2, 0.9)[1][0].sum()), (ONES,)),
    "while": (newton, (7.0,)),
    "while that does not begin": (newton, (1.0,)),
    "vmapped while": (jax.vmap(newton), (jnp.array([2.0, 1e4, 1.0]),)),
    "long while": (lambda n: lax.while_loop(lambda i: i < n, lambda i: i + 1, 0), (1000,)),
    "switch, too low": (pieces, (-5.0,)),
    "switch, too high": (pieces, (9.0,)),
    "vmapped switch": (jax.vmap(pieces), (ONES,)),
    "custom_jvp": (jax.grad(lambda x: doubled(x) ** 2), (3.0,)),
    "checkpoint": (jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)))), (3.0,)),
    "nested jit": (lambda x: jax.jit(jnp.where)(x > 2, x, 0), (ONES,)),
    "constant result": (lambda x: (x, 3, 2.5), (1.0,)),
    "one item": (lambda x, i: x[i], (ONES, 3)),
    "one item of a scan": (lambda x: lax.fori_loop(0, 6, lambda i, c: c + x[i], 0.0), (ONES,)),
    "gradient by one item": (
        jax.grad(lambda x: lax.scan(lambda c, i: (c * x[i], c), 1.0, jnp.arange(6))[0]), (ONES,),
    ),
    "segments": (partial(jax.ops.segment_max, num_segments=4), (ONES, jnp.array([3, 1] * 3))),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_gives_what_compiling_gives(name):
    function, args = PROGRAMS[name]
    staged = jax.jit(function).trace(*args)
    flat = stepwise.Stepwise().run(staged.jaxpr, jax.tree.leaves(args))
    expected = jax.tree.leaves(staged.lower().compile()(*args))
    assert len(flat) == len(expected)
    for got, wanted in zip(flat, expected, strict=True):
        assert got.shape == wanted.shape and got.dtype == wanted.dtype
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-6)


def test_a_program_is_compiled_once_that_pays():
    staged = jax.jit(lambda x: lax.fori_loop(0, 100, lambda i, c: c + x, 0.0)).trace(1.0)
    run = stepwise.Executable(staged)
    size = stepwise.operations(staged.jaxpr)
    assert 100 <= size <= 500
    times = stepwise.MAX_OPERATIONS // size
    assert [float(run((1.0,))) for _ in range(times)] == [100.0] * times
    assert run._compiled is None
    assert float(run((2.0,))) == 200.0
    assert run._compiled is not None


def test_operations_count_the_steps_of_loops():
    def count(function, *args):
        return stepwise.operations(jax.make_jaxpr(function)(*args))

    assert count(lambda x: x + 1, 1.0) == 1
    assert count(returns, jnp.ones(32), jnp.ones(32), 0.5) > 1.8 * count(
        returns, jnp.ones(16), jnp.ones(16), 0.5
    )
