"""Watched runs: bounded while loops, and what the outermost control flow did."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from graders.watch import watched


def plain(tree):
    return jax.tree.map(lambda leaf: np.asarray(leaf).tolist(), tree)


def run(fn, *args, limit=20):
    """The result, and the events as (name, details)."""
    names = []
    result, details = jax.jit(watched(fn, limit, names))(*args)
    events = [
        (name, {key: np.asarray(value).tolist() for key, value in detail.items()})
        for name, detail in zip(names, details, strict=True)
    ]
    return plain(result), events


def halve(x):
    return lax.while_loop(lambda c: c[0] > 1, lambda c: (c[0] / 2, c[1] + 1), (x, 0))


def for_ever(x):
    return lax.while_loop(lambda c: c >= x, lambda c: c + 1, x)


def test_a_loop_that_ends_is_left_alone():
    assert run(halve, 8.0) == ((1.0, 3), [("while", {"steps": 3, "finished": True})])


def test_an_endless_loop_is_stopped():
    assert run(for_ever, 0.0) == (20.0, [("while", {"steps": 20, "finished": False})])


def test_a_loop_that_ends_exactly_at_the_limit_is_finished():
    assert run(halve, 8.0, limit=3)[1] == [("while", {"steps": 3, "finished": True})]
    assert run(halve, 8.0, limit=2)[1] == [("while", {"steps": 2, "finished": False})]


@pytest.mark.parametrize(
    "wrap",
    [
        jax.jit,
        jax.checkpoint,
        lambda fn: lambda x: jax.jit(jax.jit(fn))(x),
        lambda fn: lambda x: lax.cond(x < 100, fn, lambda x: x, x),
        lambda fn: lambda x: lax.scan(lambda c, _: (fn(c), c), x, None, length=2)[0],
        lambda fn: lambda x: lax.fori_loop(0, 2, lambda _, c: fn(c), x),
        lambda fn: lambda x: lax.while_loop(lambda c: c < 5, fn, x),
        lambda fn: lambda x: jax.vmap(fn)(x[None])[0],
    ],
    ids=["jit", "checkpoint", "nested jit", "cond", "scan", "fori_loop", "while", "vmap"],
)
def test_an_endless_loop_is_stopped_wherever_it_is(wrap):
    result, _ = run(wrap(for_ever), jnp.float32(0.0))
    assert result >= 20


def test_an_endless_loop_is_stopped_inside_a_custom_derivative():
    @jax.custom_jvp
    def fn(x):
        return for_ever(x)

    fn.defjvp(lambda primals, tangents: (fn(*primals), tangents[0]))
    assert run(fn, 0.0)[0] == 20

    @jax.custom_vjp
    def gn(x):
        return for_ever(x)

    gn.defvjp(lambda x: (gn(x), None), lambda _, ct: (ct,))
    assert run(gn, 0.0)[0] == 20


def test_elements_of_a_vmapped_loop_stop_each_for_itself():
    xs = jnp.array([1.0, 2.0, 32.0])
    result, [(name, details)] = run(jax.vmap(halve), xs)
    assert result == ([1.0, 1.0, 1.0], [0, 1, 5])
    assert (name, details["finished"]) == ("while", [True, True, True])
    assert details["steps"] == 5
    result, [(_, details)] = run(jax.vmap(halve), xs, limit=2)
    assert result == ([1.0, 1.0, 8.0], [0, 1, 2])
    assert details["finished"] == [True, True, False]


def test_a_watched_function_can_be_mapped():
    names = []
    result, [details] = jax.vmap(watched(halve, 20, names))(jnp.array([1.0, 2.0, 32.0]))
    assert np.asarray(result[1]).tolist() == [0, 1, 5]
    assert names == ["while"]
    assert np.asarray(details["steps"]).tolist() == [0, 1, 5]


def test_a_scan_with_a_loop_inside_keeps_its_outputs_and_direction():
    def fn(xs):
        def body(carry, x):
            _, steps = halve(x)
            return carry + steps, (carry, steps)

        return lax.scan(body, 0, xs, reverse=True)

    xs = jnp.array([1.0, 2.0, 32.0])
    assert run(fn, xs)[0] == plain(fn(xs))


def test_a_switch_shows_its_index_before_and_after_the_clamp():
    def fn(i, x):
        return lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x)

    result, events = run(fn, jnp.int32(7), 0.5)
    assert result == pytest.approx(np.tan(0.5))
    assert events == [
        ("clamp", {"low": 0, "operand": 7, "high": 2}),
        ("cond", {"index": 2, "branches": 3}),
    ]


@pytest.mark.parametrize("x", [-1.0, 1.0])
def test_a_cond_with_a_predicate_takes_the_same_branch(x):
    def fn(x):
        return lax.cond(x > 0, lambda x: 2 * x, lambda x: 3 * x, x)

    result, [(name, details)] = run(fn, x)
    assert result == fn(x)
    assert (name, details) == ("cond", {"index": int(x > 0), "branches": 2})


def test_only_outermost_control_flow_is_written_down():
    def fn(x):
        def inner(x):
            return lax.cond(x > 1, lambda: x, lambda: -x) + halve(x)[0]

        return lax.cond(x > 0, inner, lambda x: x, x)

    assert [name for name, _ in run(fn, 3.0)[1]] == ["cond"]


def test_everything_else_comes_out_as_it_was():
    constant = jnp.arange(3.0)

    def fn(tree, n):
        x = tree["x"] + constant
        x = lax.scan(lambda c, y: (c + y, c * y), x, jnp.ones((2, 3)))
        return {"out": x, "literal": 3.0, "n": n * 2, "same": tree["x"]}

    tree = {"x": jnp.array([1.0, 2.0, 3.0])}
    expected = plain(fn(tree, 3))
    assert run(fn, tree, 3) == (expected, [])
