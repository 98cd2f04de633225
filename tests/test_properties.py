"""Whatever inputs a check draws: what is right passes, and each wrong model is caught and named.

The functions here are NumPy, observed without JAX, so that many inputs cost little.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders import newton, piecewise, returns, softmax
from graders._newton_loop import WRONG_MODELS as NEWTON
from graders._newton_loop import reference
from graders._piecewise_pieces import PIECES, region
from graders._returns_models import WRONG_MODELS as RETURNS
from graders._returns_models import oracle as discounted
from graders._softmax_models import WRONG_MODELS as SOFTMAX
from graders._softmax_models import oracle as softened
from graders._softmax_program import arguments
from graders.checks import recording
from graders.observe import Observable, Observation

SEEDS = st.integers(0, 2**32 - 10)
FEW = settings(max_examples=25)


class Numeric(Observable):
    """A NumPy function of a call, its results rounded to float32."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, *args):
        raise AssertionError("it is only observed")

    def observe_calls(self, calls):
        return tuple(
            Observation("returned", self.fn(call), through=("jit",) * bool(call.through))
            for call in calls
        )


def codes(check, fn, *args, **options):
    """The codes that a check finds in a function of calls."""
    results = []
    with recording(results.append):
        check(Numeric(fn), *args, **options)
    return [finding.code for result in results for finding in result.findings]


def variants(models):
    """A test for each wrong model."""
    return pytest.mark.parametrize(
        ("code", "model"),
        [
            pytest.param(code, model, id=f"{code}-{number}")
            for code, several in models.items()
            for number, model in enumerate(several)
        ],
    )


def of_arrays(model):
    return lambda call: np.asarray(model(*call.args), np.float32)


# --- returns ------------------------------------------------------------------------------

LENGTHS = st.lists(st.integers(1, 40), min_size=1, max_size=3)
GAMMAS = st.lists(st.floats(0, 1), min_size=1, max_size=2)


@given(SEEDS, LENGTHS, GAMMAS)
def test_right_returns_pass(seed, lengths, gammas):
    options = {"seed": seed, "lengths": lengths, "gammas": gammas}
    assert codes(returns.check_values, of_arrays(discounted), **options) == []


@variants(RETURNS)
@FEW
@given(seed=SEEDS)
def test_wrong_returns_are_named(code, model, seed):
    assert codes(returns.check_values, of_arrays(model), seed=seed) == [code]


# --- newton -------------------------------------------------------------------------------


def of_runs(model):
    def pair(call):
        run = model(float(call.args[0]))
        return np.float32(run.x), np.int32(run.k)

    return pair


@pytest.mark.parametrize("check", [newton.check_root, newton.check_count])
@FEW
@given(seed=SEEDS)
def test_right_roots_and_counts_pass(check, seed):
    assert codes(check, of_runs(reference), "scan", seed=seed) == []


@variants(NEWTON)
@settings(max_examples=10)
@given(seed=SEEDS)
def test_wrong_counts_are_named(code, model, seed):
    assert codes(newton.check_count, of_runs(model), "while", seed=seed) == [code]


# --- softmax ------------------------------------------------------------------------------

SOFTMAX_CHECKS = (
    softmax.check_values, softmax.check_order, softmax.check_stable, softmax.check_empty,
)  # fmt: skip


def of_segments(model):
    return lambda call: np.asarray(model(*arguments(call)), np.float32)


@pytest.mark.parametrize("check", SOFTMAX_CHECKS)
@given(seed=SEEDS)
def test_right_softmaxes_pass(check, seed):
    assert codes(check, of_segments(softened), seed=seed) == []


@variants(SOFTMAX)
@FEW
@given(seed=SEEDS)
def test_wrong_softmaxes_are_caught_by_hidden_checks(code, model, seed):
    found = [codes(check, of_segments(model), seed=seed) for check in SOFTMAX_CHECKS]
    assert any(found) or code == "softmax/num-segments"  # which check_jit is about
    assert {one for told in found for one in told} <= {code, "softmax/empty-segment"}


# --- piecewise ----------------------------------------------------------------------------


def of_pieces(pieces):
    def f(call):
        x = np.float64(call.args[0])
        return np.float32(pieces[int(region(x))](x))

    return f


@given(SEEDS, st.integers(1, 20))
def test_right_pieces_pass(seed, count):
    assert codes(piecewise.check_values, of_pieces(PIECES), seed=seed, count=count) == []


@pytest.mark.parametrize("number", range(3))
@FEW
@given(seed=SEEDS)
def test_another_piece_is_named(number, seed):
    for other in range(3):
        if other != number:
            pieces = list(PIECES)
            pieces[number] = PIECES[other]
            found = codes(piecewise.check_values, of_pieces(pieces), seed=seed)
            assert found == ["piecewise/branch-order"]


@FEW
@given(seed=SEEDS)
def test_a_missing_offset_is_named(seed):
    pieces = (*PIECES[:2], lambda x: x)
    found = codes(piecewise.check_values, of_pieces(pieces), seed=seed)
    assert found == ["piecewise/missing-offset"]
