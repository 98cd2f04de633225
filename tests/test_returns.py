"""Exercise 1: the oracle, the wrong models, the judges, and the bank of answers."""

import hypothesis.strategies as st
import jax
import numpy as np
import pytest
from hypothesis import given

from graders import returns
from graders._returns_models import WRONG_MODELS, oracle, pairs
from graders._returns_words import TELL
from graders.checks import examine, recording
from graders.compare import tolerances_scaled
from graders.findings import Outcome
from graders.observe import Call, Observable, Observation
from tests import bank

CODES = {
    "ignores-dones", "drops-terminal-reward", "done-off-by-one", "forward-scan", "flipped-output",
    "no-discount", "discounts-reward", "exclusive", "carry-only", "python-loop", "not-reverse",
    "no-scan", "not-traceable", "dtype", "gradient",
}  # fmt: skip
RIGHT = bank.answers("returns", "right")
WRONG = bank.answers("returns", "wrong")

steps = st.lists(st.tuples(st.floats(-5, 5, width=32), st.booleans()), min_size=1, max_size=12)


@pytest.fixture(autouse=True)
def _own_settings():
    """An answer may change JAX's settings, as it may in a notebook."""
    x64 = jax.config.jax_enable_x64
    yield
    jax.config.update("jax_enable_x64", x64)


class Function(Observable):
    """A NumPy function that is observed without JAX, whatever the transformation."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, *args):
        return self.fn(*args)

    def observe_calls(self, calls):
        return tuple(
            Observation("returned", np.asarray(self.fn(*call.args), np.float32), through=("jit",))
            for call in calls
        )


def found(check, answer, **options):
    """The codes that a check finds, and the result."""
    results = []
    with recording(results.append):
        check(answer, **options)
    [result] = results
    return [finding.code for finding in result.findings], result


# --- the oracle ---------------------------------------------------------------------------


def test_the_worked_example():
    assert oracle(*returns.EXAMPLE).tolist() == [2, 2, 5, 4]


@given(steps, st.floats(0, 1))
def test_the_oracle_is_a_sum_over_the_rest_of_the_episode(trajectory, gamma):
    rewards, dones = map(np.array, zip(*trajectory, strict=True))
    expected = []
    for t in range(len(rewards)):
        ends = np.flatnonzero(dones[t:])
        last = t + ends[0] if len(ends) else len(rewards) - 1
        expected.append(sum(gamma ** (k - t) * rewards[k] for k in range(t, last + 1)))
    np.testing.assert_allclose(oracle(rewards, dones, gamma), expected, atol=1e-9)


@given(steps, st.floats(0, 1))
def test_the_oracle_solves_the_linear_recurrence(trajectory, gamma):
    rewards, dones = map(np.array, zip(*trajectory, strict=True))
    upper = np.diag(gamma * (1.0 - dones[:-1]), k=1)
    expected = np.linalg.solve(np.eye(len(rewards)) - upper, rewards)
    np.testing.assert_allclose(oracle(rewards, dones, gamma), expected, atol=1e-9)


# --- the wrong models ---------------------------------------------------------------------


def models():
    return [
        pytest.param(code, model, id=f"{code.split('/')[1]}-{number}")
        for code, variants in WRONG_MODELS.items()
        for number, model in enumerate(variants)
    ]


@pytest.mark.parametrize(("code", "model"), models())
def test_a_wrong_model_is_named_by_the_visible_examples_alone(code, model):
    codes, result = found(returns.check_values, Function(model))
    assert codes == [code]
    [finding] = result.findings
    assert "rewards = [" in finding.given
    assert finding.why.startswith("Your result is what comes out when")
    assert finding.came and finding.expected and finding.next_step


@pytest.mark.parametrize(("code", "model"), models())
def test_a_wrong_model_is_named_whatever_the_seed_and_the_tolerance(code, model):
    for seed in range(50):
        with tolerances_scaled([0.5, 1, 2][seed % 3]):
            codes, _ = found(
                returns.check_values, Function(model), seed=seed, lengths=(1, 2, 8),
                gammas=(0.97, 0.3),
            )  # fmt: skip
        assert codes == [code]


# A single number is left of these, and it is the same one.
SAME = {
    ("returns/forward-scan returns/carry-only", "returns/carry-only returns/inverted-dones"),
    ("returns/carry-only returns/drops-terminal-reward",
     "returns/carry-only returns/done-off-by-one"),
}  # fmt: skip


def test_two_misconceptions_are_both_told():
    confused = set()
    told = 0
    for expected, model in pairs():
        try:
            codes, result = found(returns.check_values, Function(model), seed=3)
        except IndexError:
            continue  # there is nothing to flip or shift in a single number
        if result.passed or len(codes) == 1:
            continue  # one undoes the other, or both come to what another one does alone
        if set(codes) == set(expected):
            told += 1
            assert all("Two things together" in finding.why for finding in result.findings)
        else:
            confused.add(tuple(sorted((" ".join(expected), " ".join(codes)))))
    assert told > 200
    assert confused == {tuple(sorted(pair)) for pair in SAME}


def test_right_values_pass_whatever_the_seed_and_the_tolerance():
    for seed in range(50):
        for factor in (0.5, 1, 2):
            with tolerances_scaled(factor):
                assert found(returns.check_values, Function(oracle), seed=seed)[1].passed


def test_what_no_model_explains_is_a_wrong_value():
    codes, result = found(
        returns.check_values, Function(lambda r, d, g: oracle(r, d, g) + 1e-3), seed=5
    )
    assert codes == ["returns/wrong-value"]
    assert {outcome for _, outcome in result.parts} == {Outcome.FAILED}


def test_a_single_wrong_length_is_told_with_its_part():
    def only_one_step(rewards, dones, gamma):
        return 0 * rewards if len(rewards) == 1 else oracle(rewards, dones, gamma)

    codes, result = found(returns.check_values, Function(only_one_step), seed=5, lengths=(1, 8))
    assert codes == ["returns/wrong-value"]
    assert dict(result.parts) == {
        "worked example": Outcome.PASSED,
        "one more like it": Outcome.PASSED,
        "T = 1": Outcome.FAILED,
        "T = 8": Outcome.PASSED,
    }


def test_a_hidden_input_is_not_shown():
    _, result = found(
        returns.check_values, Function(lambda r, d, g: oracle(r, d, g) * (len(r) != 8)), seed=5
    )
    [finding] = result.findings
    assert finding.given == "random rewards and dones with T = 8, gamma = 0.9"


def test_hidden_inputs_are_the_same_on_every_machine():
    [(rewards, dones, gamma)] = returns._inputs(11, [4], [0.9])
    assert rewards.dtype == dones.dtype == np.float32
    np.testing.assert_allclose(rewards, [-0.742860, -0.001444, 0.202997, -0.942622], rtol=1e-3)
    assert (dones.tolist(), gamma) == ([0, 1, 1, 0], 0.9)


# --- structure ----------------------------------------------------------------------------


def test_every_code_of_the_exercise_can_be_told():
    assert {f"returns/{code}" for code in CODES} <= set(TELL)
    assert set(WRONG_MODELS) < set(TELL)


def test_nothing_is_expected_of_an_answer_that_is_not_there():
    def unanswered(rewards, dones, gamma):
        raise NotImplementedError("Your code here")

    for check in (
        returns.check_values, returns.check_scan, returns.check_transforms,
        returns.check_dtype, returns.check_gradient,
    ):  # fmt: skip
        codes, result = found(check, unanswered)
        assert (codes, result.outcome) == ([], Outcome.NOT_ATTEMPTED)


def test_other_calls_are_judged_where_one_raises():
    calls = [Call(example, label=str(number)) for number, example in enumerate(returns.EXAMPLES)]
    first = returns.EXAMPLES[0][0]

    def picky(rewards, dones, gamma):
        if rewards[0] == first[0]:
            raise RuntimeError("no")
        return 10 * rewards

    result = examine("returns", "f", "values", picky, calls, returns.judge_values)
    assert [(finding.code, finding.part) for finding in result.findings] == [
        ("returns/raises", "0"),
        ("returns/wrong-value", "1"),
    ]


def test_random_inputs_tell_the_flag_of_the_step_after_from_no_flags_at_all():
    """Where no return has its own reward, as with two misconceptions together."""
    for seed in range(200):
        for drawn in returns._inputs(seed, [5, 6, 8], [0.9]):
            rewards, dones, gamma = drawn
            after, never = np.append(dones[1:], 0), 0 * dones
            ours, others = (oracle(rewards, flags, gamma)[1:] for flags in (after, never))
            assert not np.allclose(ours, others), (seed, dones)
