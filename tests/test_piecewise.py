"""The checks of exercise 4, and the bank of answers to it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from graders import piecewise as checks
from graders._piecewise_pieces import PI32, SLOPES, region, slope
from graders.checks import recording
from graders.compare import numeric_gradient, tolerances_scaled
from graders.findings import Outcome, Result
from graders.observe import Problem, Undefined
from tests.bank import answers, source_cells

RIGHT = answers("piecewise", "right")
WRONG = answers("piecewise", "wrong")


def results(check: Callable[..., None], *args: Any, **kwargs: Any) -> Result:
    """The result of one check."""
    seen: list[Result] = []
    with recording(seen.append):
        check(*args, **kwargs)
    [result] = seen
    return result


def codes(check: Callable[..., None], *args: Any, **kwargs: Any) -> list[str]:
    return [finding.code for finding in results(check, *args, **kwargs).findings]


def switch(*branches: Any, index: Any = None) -> Callable[[Any], Any]:
    """A `piecewise` with these branches."""

    def right_index(x: Any) -> Any:
        return jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))

    return lambda x: lax.switch((index or right_index)(x), branches, x)


SQUARE, SINE, SHIFT = jnp.square, jnp.sin, lambda v: v - jnp.pi


# --- the reference -------------------------------------------------------------------------


def test_the_oracle_is_f() -> None:
    xs = np.linspace(-5, 10, 601)
    expected = [x**2 if x < 0 else math.sin(x) if x < math.pi else x - math.pi for x in xs]
    np.testing.assert_allclose(checks.oracle(xs), expected, atol=1e-15)


def test_the_slope_is_the_derivative_of_f_away_from_the_breakpoints() -> None:
    xs = np.array([-3, -1, -0.2, 0.2, 1, 3, 3.3, 8])
    for x, came in zip(xs, slope(xs), strict=True):
        [expected] = numeric_gradient(lambda x: float(checks.oracle(x)), (x,), (0,))
        assert came == pytest.approx(expected, abs=1e-8)


def test_breakpoints_belong_to_the_piece_on_their_right() -> None:
    assert slope(np.array([0.0, -0.0, PI32, np.pi])).tolist() == [1, 1, 1, 1]
    assert region([-1e-30, 0, np.nextafter(PI32, np.float32(0)), PI32]).tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize(
    "pi", [jnp.pi, np.pi, math.pi, np.float32(np.pi)], ids=["jnp", "np", "math", "np.float32"]
)
def test_any_way_of_writing_pi_is_right(pi: Any) -> None:
    def index(x: Any) -> Any:
        return jnp.where(x < 0, 0, jnp.where(x < pi, 1, 2))

    answer = switch(SQUARE, SINE, lambda v: v - pi, index=index)
    assert results(checks.check_gradient, answer).passed
    assert results(checks.check_values, answer).passed


# --- what the checks say -------------------------------------------------------------------


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1:])
def test_every_other_order_of_branches_is_named(order: tuple[int, ...]) -> None:
    branches = [(SQUARE, SINE, SHIFT)[number] for number in order]
    assert codes(checks.check_values, switch(*branches), seed=3) == ["piecewise/branch-order"]


@pytest.mark.parametrize("number", range(3))
def test_a_piece_that_no_model_knows_is_a_wrong_value(number: int) -> None:
    branches = [SQUARE, SINE, SHIFT]
    branches[number] = lambda v: 0.5 * v + 7
    result = results(checks.check_values, switch(*branches))
    assert [finding.code for finding in result.findings] == ["piecewise/wrong-value"]
    assert [outcome for _, outcome in result.parts].index(Outcome.FAILED) == number


def test_all_that_is_wrong_is_told_at_once() -> None:
    answer = switch(SINE, SINE, lambda v: v)
    assert set(codes(checks.check_values, answer)) == {
        "piecewise/branch-order", "piecewise/missing-offset",
    }  # fmt: skip


def test_a_right_derivative_of_wrong_values_keeps_its_marks() -> None:
    assert results(checks.check_gradient, switch(SQUARE, SINE, lambda v: v)).passed


def test_slopes_of_misplaced_pieces_are_told_as_misplaced_pieces() -> None:
    assert codes(checks.check_gradient, switch(SINE, SQUARE, SHIFT)) == ["piecewise/branch-order"]


def test_both_breakpoints_are_told_in_one_go() -> None:
    answer = switch(SQUARE, SINE, SHIFT, index=lambda x: jnp.int32(x > 0) + jnp.int32(x > jnp.pi))
    result = results(checks.check_gradient, answer)
    assert [finding.code for finding in result.findings] == [
        "piecewise/boundary-zero", "piecewise/boundary-pi",
    ]  # fmt: skip
    zero, pi = result.findings
    assert (zero.came, zero.expected, pi.came, pi.expected) == ("0", "1", "-1", "1")
    assert zero.given.endswith("x = 0")
    assert "π" in pi.given


def test_nan_at_a_breakpoint_is_a_gradient_and_no_boundary() -> None:
    answer = switch(SQUARE, lambda v: jnp.sin(jnp.sqrt(v * v)), SHIFT)
    assert codes(checks.check_gradient, answer) == ["piecewise/gradient"]


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_verdict_hangs_on_tolerances_or_seeds(scale: float, seed: int) -> None:
    near = switch(SQUARE, lambda v: jnp.cos(v - jnp.pi / 2), SHIFT)
    displaced = switch(
        SQUARE, SINE, SHIFT, index=lambda x: jnp.int32(x >= 0) + jnp.int32(x >= 3.14159)
    )
    with tolerances_scaled(scale):
        assert results(checks.check_values, near, seed=seed, count=20).passed
        assert results(checks.check_gradient, near, seed=seed, count=20).passed
        assert codes(checks.check_gradient, displaced, seed=seed) == ["piecewise/boundary-pi"]


def test_the_clamp_of_the_switch_is_told_from_the_answers_own() -> None:
    def own(x: Any) -> Any:
        return lax.clamp(0, jnp.int32(jnp.floor(x / jnp.pi)) + 1, 2)

    def none(x: Any) -> Any:
        return jnp.int32(jnp.floor(x / jnp.pi)) + 1

    assert results(checks.check_index, switch(SQUARE, SINE, SHIFT, index=own)).passed
    result = results(checks.check_index, switch(SQUARE, SINE, SHIFT, index=none))
    [finding] = result.findings
    assert (finding.code, finding.given) == ("piecewise/index-range", "x = -50")
    assert finding.came == "index -15"


def test_an_undefined_or_blank_answer_is_not_attempted() -> None:
    def blank(x: Any) -> Any:
        raise NotImplementedError

    for check in (checks.check_values, checks.check_index, checks.check_select_shapes):
        for answer in (None, ..., Undefined("piecewise"), blank):
            assert results(check, answer).outcome is Outcome.NOT_ATTEMPTED


def test_an_exception_fails_every_part() -> None:
    result = results(checks.check_values, switch(SQUARE, SINE, lambda v: v.astype(jnp.int32)))
    assert [finding.code for finding in result.findings] == ["piecewise/raises"]
    assert {outcome for _, outcome in result.parts} == {Outcome.FAILED}


# --- piecewise_cost ------------------------------------------------------------------------


def test_the_key_of_piecewise_cost_is_what_jax_does() -> None:
    """Counts the branches that run, and looks at the jaxprs, on the installed JAX."""
    ran: list[int] = []

    def noisy(number: int, piece: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def branch(v: Any) -> Any:
            jax.debug.callback(lambda _: ran.append(number), v)
            return piece(v)

        return branch

    def count(fn: Callable[..., Any], *args: Any) -> int:
        ran.clear()
        jax.block_until_ready(fn(*args))
        jax.effects_barrier()
        return len(ran)

    xs = jnp.array([-2.0, 1.0, 4.0, 5.0], jnp.float32)
    branches = [noisy(0, SQUARE), noisy(1, SINE), noisy(2, SHIFT)]
    one = switch(*branches)

    def by_index(i: Any, x: Any) -> Any:
        return lax.switch(i, branches, x)

    quiet = switch(SQUARE, SINE, SHIFT)
    plain = {e.primitive.name for e in jax.make_jaxpr(quiet)(xs[0]).eqns}
    batched = {e.primitive.name for e in jax.make_jaxpr(jax.vmap(quiet))(xs).eqns}
    [primitive] = {"select_n", "cond", "while", "scan"} & (batched - plain)
    came = {
        "scalar": count(one, xs[1]),
        "batched_index": count(jax.vmap(one), xs) / len(xs),
        "unbatched_index": count(jax.vmap(by_index, in_axes=(None, 0)), 1, xs) / len(xs),
        "primitive": primitive,
    }
    namespace: dict[str, Any] = {}
    [solution] = [c for c in source_cells("piecewise") if c.grade_id == "piecewise_cost"]
    exec(solution.source, namespace)
    assert namespace["piecewise_cost"] == came
    for key, value in came.items():
        assert results(checks.check_cost, came, key, expected=value).passed


GOOD = {"scalar": 1, "batched_index": 3, "unbatched_index": 1, "primitive": "select_n"}


@pytest.mark.parametrize("entry", [3, 3.0, np.int64(3), np.float32(3), jnp.array(3), "3", " 3 "])
@pytest.mark.parametrize("key", ["batched_index", "Batched Index", " BATCHED-INDEX "])
def test_any_spelling_of_a_number_is_right(key: str, entry: Any) -> None:
    assert results(checks.check_cost, {key: entry}, "batched_index", expected=3).passed


@pytest.mark.parametrize(
    "entry",
    ["select_n", "SELECT_N", " lax.select_n ", "jax.lax.select_n", "select n", "'select_n'"],
)
def test_any_spelling_of_the_primitive_is_right(entry: str) -> None:
    assert results(checks.check_cost, {"primitive": entry}, "primitive", expected="select_n").passed


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        ("scalar", True), ("scalar", 1.5), ("scalar", [1]), ("scalar", "one"), ("scalar", np.nan),
        ("scalar", np.zeros(3)), ("scalar", {}), ("scalar", 1j), ("scalar", -np.inf),
        ("primitive", 3), ("primitive", ""), ("primitive", ["select_n"]),
    ],
)  # fmt: skip
def test_a_wrong_form_shows_before_grading(key: str, entry: Any) -> None:
    assert codes(checks.check_cost, GOOD | {key: entry}, key) == [f"piecewise/cost-{key}"]


def test_form_alone_tells_nothing_about_the_answer() -> None:
    for key in GOOD:
        wrong = GOOD | {key: "add" if key == "primitive" else 7}
        assert results(checks.check_cost, wrong, key).passed
        result = results(checks.check_cost, wrong, key, expected=GOOD[key], why="because.")
        [finding] = result.findings
        assert finding.code == f"piecewise/cost-{key.replace('_', '-')}"
        assert (finding.expected, finding.why) == ("", "because.")


@pytest.mark.parametrize(
    "answer", [(1, 3), "1", 1, {"other": 1}, {1: 1}, GOOD | {"f": print}, print]
)
def test_what_is_no_dict_with_the_key_fails(answer: Any) -> None:
    for key in ("scalar", "unbatched_index"):
        if isinstance(answer, dict) and "f" not in answer:
            answer = {name: entry for name, entry in answer.items() if name != key}
        assert codes(checks.check_cost, answer, key) == [f"piecewise/cost-{key.replace('_', '-')}"]


def test_an_open_entry_is_not_attempted_and_costs_no_other() -> None:
    answer = GOOD | {"scalar": None}
    for kwargs in ({}, {"expected": 1}):
        assert (
            results(checks.check_cost, answer, "scalar", **kwargs).outcome is Outcome.NOT_ATTEMPTED
        )
    assert results(checks.check_cost, answer, "batched_index", expected=3).passed
    for absent in (None, ..., Undefined("piecewise_cost")):
        assert results(checks.check_cost, absent, "scalar").outcome is Outcome.NOT_ATTEMPTED
    failed = Undefined("piecewise_cost", "raised", Problem("NameError", message="no such name"))
    assert codes(checks.check_cost, failed, "scalar") == ["piecewise/raises"]


# --- the notebook and the bank ----------------------------------------------------------------


def test_the_checks_carry_no_answer_to_piecewise_cost() -> None:
    hidden = [c for c in source_cells("piecewise") if c.grade_id.startswith("piecewise-cost")]
    assert len(hidden) == 4
    for cell in hidden:
        visible, _, secret = cell.source.partition("### BEGIN HIDDEN TESTS")
        assert "expected" in secret
        assert "expected" not in visible


def test_every_slope_belongs_to_its_piece() -> None:
    for formula, derivative in zip(
        checks.WRONG_MODELS["piecewise/branch-order"], SLOPES, strict=True
    ):
        xs = np.array([-1.3, 0.7, 5.0])
        step = 1e-6
        quotient = (formula(xs + step) - formula(xs - step)) / (2 * step)
        np.testing.assert_allclose(derivative(xs), quotient, atol=1e-8)
