"""The summary of a traced program: through every kind of nesting, and through JSON."""

import functools
import json

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from graders import jaxprs
from graders.jaxprs import Equation, Program, program_from_json, program_to_json, summarise

X = jnp.arange(4.0)


def program(fn, *args):
    return summarise(jax.make_jaxpr(fn)(*args))


def reversed_sum(xs):
    return lax.scan(lambda c, x: (c + x, c + x), 0.0, xs, reverse=True)[1]


@jax.custom_jvp
def with_jvp(xs):
    return reversed_sum(xs)


with_jvp.defjvp(lambda primals, tangents: (with_jvp(*primals), reversed_sum(*tangents)))


@jax.custom_vjp
def with_vjp(xs):
    return reversed_sum(xs)


with_vjp.defvjp(lambda xs: (reversed_sum(xs), None), lambda _, ct: (ct,))

WRAPPED = {
    "plain": reversed_sum,
    "jit": jax.jit(reversed_sum),
    "jit in jit": jax.jit(lambda xs: jax.jit(reversed_sum)(xs) + 1),
    "custom_jvp": with_jvp,
    "custom_vjp": with_vjp,
    "checkpoint": jax.checkpoint(reversed_sum),
    "partial": functools.partial(lambda shift, xs: reversed_sum(xs + shift), 1),
    "cond": lambda xs: lax.cond(xs[0] > 0, reversed_sum, lambda xs: xs, xs),
    "scan": lambda xs: lax.scan(lambda c, _: (reversed_sum(c), None), xs, None, length=2)[0],
    "while": lambda xs: lax.while_loop(lambda c: c[0] < 9, reversed_sum, xs),
    "vmap": lambda xs: jax.vmap(reversed_sum)(xs[None]),
    "grad": jax.value_and_grad(lambda xs: reversed_sum(xs * xs)[0]),
}


@pytest.mark.parametrize("wrapped", WRAPPED.values(), ids=WRAPPED)
def test_a_scan_is_found_in_whatever_it_is_wrapped(wrapped):
    scans = program(wrapped, X).find("scan")
    assert any(scan.parameters["length"] == 4 and scan.parameters["reverse"] for scan in scans)


@pytest.mark.parametrize("name", ["plain", "jit", "custom_jvp", "cond"])
def test_disabled_jit_does_not_unroll_what_is_observed(name):
    # Tracing happens with jit enabled, as in graders.perform.
    with jax.disable_jit(), jax.disable_jit(False):
        assert program(WRAPPED[name], X).count("scan") == 1


def test_branches_and_shapes_are_kept():
    seen = program(
        lambda i, xs: lax.switch(i, [jnp.sin, jnp.cos, lambda xs: xs * 2], xs), jnp.int32(1), X
    )
    [switch] = seen.find("cond")
    assert switch.parameters["branches"] == 3
    assert switch.shapes == ((4,),)
    assert switch.dtypes == ("float32",)
    assert [inner.primitives() for inner in switch.inner] == [{"sin"}, {"cos"}, {"mul"}]
    assert seen.primitives() >= {"clamp", "cond", "sin", "cos"}
    assert seen.count("sin", "cos") == 2


def test_forward_and_reverse_are_told_apart():
    [scan] = program(lambda xs: lax.scan(lambda c, x: (c + x, c), 0.0, xs)[1], X).find("scan")
    assert scan.parameters["reverse"] is False
    assert scan.parameters["length"] == 4


def test_a_static_fori_loop_is_a_scan_and_a_dynamic_one_a_while():
    def loop(n, xs):
        return lax.fori_loop(0, n, lambda i, c: c + xs[i], 0.0)

    assert "scan" in program(lambda xs: loop(4, xs), X).primitives()
    assert "while" in program(loop, jnp.int32(4), X).primitives()


def test_vmapped_cond_becomes_a_select():
    seen = program(jax.vmap(lambda x: lax.cond(x > 1, jnp.sin, jnp.cos, x)), X)
    assert "select_n" in seen.primitives()
    assert "cond" not in seen.primitives()


def test_work_that_is_thrown_away_does_not_count():
    def pretends(xs):
        reversed_sum(xs)
        return jnp.cumsum(xs)

    assert "scan" in str(jax.make_jaxpr(pretends)(X))
    assert program(pretends, X).primitives() - {"jit"} == {"cumsum"}


def test_work_with_an_effect_counts_without_a_result():
    def prints(x):
        jax.debug.print("{}", x)
        return x

    assert len(program(prints, X).equations) == 1


def test_callbacks_are_known_by_name():
    def calls(x):
        return jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((4,), jnp.float32), x)

    assert program(jax.jit(calls), X).primitives() & jaxprs.CALLBACKS == {"pure_callback"}


def test_a_python_loop_grows_and_a_scan_does_not():
    def unrolled(xs):
        total = 0.0
        for x in xs:
            total = total + x
        return total

    def size(fn, n):
        return len(list(program(fn, jnp.ones(n)).walk()))

    assert size(unrolled, 16) > 1.5 * size(unrolled, 8)
    assert size(reversed_sum, 16) == size(reversed_sum, 8)


def test_a_very_long_program_is_cut_off(monkeypatch):
    monkeypatch.setattr(jaxprs, "MAX_EQUATIONS", 5)

    def long(x):
        for _ in range(10):
            x = jnp.sin(x)
        return x

    seen = program(long, 1.0)
    assert seen.truncated
    assert seen.count("sin") == 5
    assert not program(jnp.sin, 1.0).truncated


@pytest.mark.parametrize("wrapped", WRAPPED.values(), ids=WRAPPED)
def test_json_keeps_all(wrapped):
    seen = program(wrapped, X)
    assert program_from_json(json.loads(json.dumps(program_to_json(seen)))) == seen


def test_json_keeps_truncation_and_parameters():
    seen = Program(
        (
            Equation(
                "scan", {"reverse": True, "length": 3, "name": "f"}, ((1, 2), ()), ("int32", "")
            ),
        ),
        truncated=True,
    )
    assert program_from_json(json.loads(json.dumps(program_to_json(seen)))) == seen


GOOD = {"primitive": "sin", "parameters": {}, "shapes": [], "dtypes": [], "inner": []}


@pytest.mark.parametrize(
    "document",
    [
        None, 1, [], {}, {"equations": 1, "truncated": False},
        {"equations": [1], "truncated": False},
        {"equations": [GOOD]}, {"equations": [GOOD | {"parameters": []}], "truncated": False},
        {"equations": [GOOD | {"shapes": 3}], "truncated": False},
        {"equations": [GOOD | {"shapes": [["a"]]}], "truncated": False},
        {"equations": [GOOD | {"inner": [None]}], "truncated": False},
        {"equations": [{"primitive": "sin"}], "truncated": False},
    ],
    ids=lambda document: str(document)[:50],
)  # fmt: skip
def test_malformed_summaries_are_refused(document):
    with pytest.raises(ValueError):
        program_from_json(document)


def test_a_summary_nested_without_end_is_refused():
    document = {"equations": [], "truncated": False}
    for _ in range(100_000):
        document = {"equations": [GOOD | {"inner": [document]}], "truncated": False}
    with pytest.raises(ValueError):
        program_from_json(document)
    while document["equations"]:  # taken apart by hand: freeing it in one go recurses as well
        document = document["equations"][0]["inner"][0]


def test_strange_parameters_are_left_out():
    odd = GOOD | {"parameters": {"length": 3, "f": [1], "g": {"a": 1}, "h": None}}
    [equation] = program_from_json({"equations": [odd], "truncated": "yes"}).equations
    assert equation.parameters == {"length": 3}
