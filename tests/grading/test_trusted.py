"""Running the instructor's cells, and what their values are worth."""

import time
from decimal import Decimal
from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest

from graders.grading.trusted import TookTooLong, TrustedSide, free_names, partial_credit


def side(**names):
    return TrustedSide(lambda wanted: {name: names[name] for name in wanted if name in names})


@pytest.mark.parametrize(
    "value", [1, 1.0, 2, 0, np.float32(1), np.int8(2), np.array(1.5), jnp.float32(0.5),
              jnp.int32(2), Fraction(1, 2)],
)  # fmt: skip
def test_numbers_are_partial_credit(value):
    assert partial_credit(value, 2.0) == float(value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -0.5, 2.5, 10**400, True, np.True_, jnp.bool_(True),
              "1", b"1", [1], (1.0,), np.ones(1), np.ones(2), 1j, np.complex64(1), None, {},
              Decimal(1) * 99, object(), np.array("1"), np.array(None), jnp.float32(np.nan)],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_anything_else_is_none(value):
    assert partial_credit(value, 2.0) is None


@pytest.mark.parametrize(
    ("source", "score"),
    [
        ("", 2.0),
        ("assert True", 2.0),
        ("None", 2.0),
        ("assert False", 0.0),
        ("raise SystemExit", 0.0),
        ("1.5", 1.5),
        ("x = 1\nx", 1.0),
        ("x = 1", 2.0),
        ("'2'", 0.0),
        ("float('nan')", 0.0),
        ("-1", 0.0),
        ("3", 0.0),
        ("import numpy as np; np.True_", 0.0),
        ("syntax error", 0.0),
        ("undefined", 0.0),
    ],
)
def test_scores(source, score):
    assert side().run(source).score(2.0) == score


@pytest.mark.parametrize(
    "source", ["mine", "f()", "f().real", "g()[0]", "g()[0].real", "assert mine\nmine", "h()"]
)
def test_a_students_own_value_is_no_mark(source):
    run = side(mine=2.0, f=lambda: 2.0, g=lambda: [2.0], h=lambda: None).run(source)
    assert run.error is None
    assert run.score(2.0) == 0.0
    assert run.borrowed


def test_a_value_made_from_a_students_is_one():
    run = side(f=lambda: 3.0).run("2.0 * (f() == 3.0)")
    assert run.score(2.0) == 2.0


def test_names_are_looked_up_for_each_cell_anew():
    values = iter([1, 2])
    trusted = TrustedSide(lambda names: {name: next(values) for name in names})
    assert trusted.run("assert x == 1").error is None
    assert trusted.run("assert x == 2").error is None


def test_the_instructors_names_are_not_the_students():
    asked = []
    trusted = TrustedSide(lambda names: asked.extend(names) or {})
    trusted.prepare("import math\ndef helper(): return math.pi")
    trusted.run("import json\nhelper(); json; print([y for y in range(3)], answer)")
    assert asked == ["answer"]


def test_imports_only():
    trusted = side()
    trusted.prepare("import math\n1 / 0", imports_only=True)
    assert trusted.run("math.pi").value > 3


def test_a_locked_cell_may_use_the_students_names():
    trusted = side(f=lambda: 1)
    trusted.prepare("two = 2\nprint(f())")
    assert trusted.run("two").value == 2


def test_printing_is_kept_and_bounded():
    run = side().run("import sys\nprint('x' * 10**6)\nprint('noise', file=sys.stderr)")
    assert run.printed == "x" * 10_000


def test_a_test_without_end_is_stopped():
    started = time.monotonic()
    run = side(n=10**18).run("for _ in range(n): pass", seconds=0.2)
    assert isinstance(run.error, TookTooLong)
    assert run.score(1.0) == 0.0
    assert time.monotonic() - started < 60
    assert side().run("sum(range(10))", seconds=0.2).value == 45


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a + b", {"a", "b"}),
        ("a = 1\na + b", {"b"}),
        ("def f(x):\n    return x + y + g(x)", {"y", "g"}),
        ("[x * k for x in xs]", {"k", "xs"}),
        ("import m\nm.n(p.q)", {"p"}),
        ("f(key=1)", {"f"}),
        ("lambda z: z + w", {"w"}),
        ("class C:\n    v = u", {"u"}),
        ("for i in r: pass", {"r"}),
        ("with o as f: f", {"o"}),
    ],
)
def test_free_names(source, names):
    assert free_names(source) == names
