"""Exercise 2: the reference, the wrong models, the judges, and the bank of answers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from graders import newton
from graders._newton_loop import WRONG_MODELS, draw, reference
from graders._newton_words import TELL
from graders.checks import recording
from graders.compare import tolerances_scaled
from graders.findings import Outcome
from graders.observe import Observable, Observation, observe
from tests import bank

CODES = {
    "counts-idle-steps", "count-off-by-one", "absolute-tolerance", "no-scan", "not-differentiable",
    "no-while", "unbounded", "sqrt-shortcut", "gradient", "float-count", "wrong-root",
    "not-traceable",
}  # fmt: skip
RIGHT = bank.answers("newton", "right")
WRONG = bank.answers("newton", "wrong")
VERSIONS = pytest.mark.parametrize("version", ["scan", "while"])


@pytest.fixture(autouse=True)
def _own_settings():
    """An answer may change JAX's settings, as it may in a notebook."""
    x64 = jax.config.jax_enable_x64
    yield
    jax.config.update("jax_enable_x64", x64)


class Function(Observable):
    """A model that is observed without JAX, whatever the transformation."""

    def __init__(self, model):
        self.model = model

    def __call__(self, a):
        run = self.model(float(a))
        return np.float32(run.x), np.int32(run.k)

    def observe_calls(self, calls):
        return tuple(Observation("returned", self(call.args[0])) for call in calls)


def found(check, answer, *args, **options):
    """The codes that a check finds, and the result."""
    results = []
    with recording(results.append):
        check(answer, *args, **options)
    [result] = results
    return [finding.code for finding in result.findings], result


@pytest.fixture(scope="module")
def solutions():
    """The source notebook's own solutions by name."""
    namespace = {}
    for cell in bank.source_cells("newton"):
        if not cell.grade:
            exec(cell.source, namespace)
    return namespace


# --- the reference ------------------------------------------------------------------------


def test_the_worked_example():
    run = reference(2.0)
    assert (run.k, run.clear) == (4, True)
    assert run.x == pytest.approx(2**0.5, rel=1e-9)


def test_the_count_follows_from_the_closed_form_of_newtons_iterates():
    # (x - √a)/(x + √a) is squared by every step, and x²/a - 1 = 4q/(1 - q)² in terms of it.
    for a in map(float, draw(23, 200)):
        q, k = (a**0.5 - 1) / (a**0.5 + 1), 0
        while abs(4 * q / (1 - q) ** 2) >= 1e-6:
            q, k = q * q, k + 1
        assert reference(a).k == k


def test_no_rounding_changes_a_count_that_a_check_relies_on():
    generator = np.random.default_rng(0)
    for a in [np.float32(a) for a in newton.EXAMPLES + newton.SLOPES] + draw(5, 200):
        for _ in range(5):
            x, k, unit = np.float32(a), 0, np.float32(1e-6) * a
            # The square is fused with the difference or rounded first, and the step is off by
            # one more unit in the last place.
            while k < 30:
                fused = abs(float(x) * float(x) - float(a))
                residual = fused if generator.random() < 0.5 else abs(x * x - a)
                if residual < unit:
                    break
                x, k = np.float32(0.5) * (x + a / x), k + 1
                x = np.nextafter(x, np.float32(generator.choice([0, np.inf])))
            assert k == reference(float(a)).k, a


def test_every_draw_has_inputs_that_tell_tests_apart():
    for seed in range(50):
        inputs = draw(seed, 8)
        assert all(1e-6 * 0.999 <= a <= 1e6 * 1.001 and abs(a - 1) >= 2e-3 for a in inputs)
        runs = [reference(float(a)) for a in inputs]
        assert all(run.clear for run in runs)
        assert any(a < 1e-5 for a in inputs) and any(a > 1e4 for a in inputs)
        assert any(run.last < 1.62 for run in runs) and any(4.5 < run.last < 8 for run in runs)
        assert any(run.final > 0.35 for run in runs)


def test_hidden_inputs_are_the_same_on_every_machine():
    inputs = draw(11, 3)
    assert [(a.dtype, a.shape) for a in inputs] == [(np.float32, ())] * 3
    np.testing.assert_allclose(inputs, [2.20937e-06, 0.0267866, 590152.0], rtol=1e-4)


# --- the wrong models ---------------------------------------------------------------------


def models():
    return [
        pytest.param(code, model, number, id=f"{code.split('/')[1]}-{number}")
        for code, variants in WRONG_MODELS.items()
        for number, model in enumerate(variants)
    ]


@pytest.mark.parametrize(("code", "model", "number"), models())
def test_a_wrong_model_is_named_by_the_visible_examples_alone(code, model, number):
    codes, result = found(newton.check_count, Function(model), "scan")
    if (code, number) == ("newton/absolute-tolerance", 3):
        assert result.passed  # 1e-8 shows at a below 1e-4 only: hidden inputs find it
        return
    assert codes == [code]
    [finding] = result.findings
    assert finding.given.startswith("a = ")
    assert finding.came and finding.expected and finding.why and finding.next_step


@pytest.mark.parametrize(("code", "model", "number"), models())
def test_a_wrong_model_is_named_whatever_the_seed_and_the_tolerance(code, model, number):
    for seed in range(50):
        with tolerances_scaled([0.5, 1, 2][seed % 3]):
            codes, _ = found(newton.check_count, Function(model), "while", seed=seed)
        assert codes == [code]


def test_the_reference_passes_whatever_the_seed_and_the_tolerance():
    for seed in range(50):
        for factor in (0.5, 1, 2):
            with tolerances_scaled(factor):
                for check in (newton.check_root, newton.check_count):
                    assert found(check, Function(reference), "scan", seed=seed)[1].passed


def test_a_right_derivative_passes_whatever_the_seed_and_the_tolerance(solutions):
    slope = jax.jit(jax.vmap(jax.grad(lambda a: solutions["newton_sqrt_scan"](a)[0])))
    inputs = np.stack([a for seed in range(50) for a in draw(seed, 5)])
    error = np.asarray(slope(inputs), np.float64) * 2 * np.sqrt(inputs.astype(np.float64)) - 1
    assert np.max(np.abs(error)) < 0.5 * newton._GRADIENT_RTOL


def test_only_the_parts_that_are_wrong_fail():
    def only_large(a):
        run = reference(a)
        return type(run)(run.x * (1 + 1e-4 * (a > 100)), run.k)

    codes, result = found(newton.check_root, Function(only_large), "while", seed=1)
    assert codes == ["newton/wrong-root"]
    assert {label for label, outcome in result.parts if outcome is Outcome.FAILED} == {
        "a = 10000", "random a",
    }  # fmt: skip


def test_a_hidden_input_is_not_shown():
    def only_hidden(a):
        run = reference(a)
        return type(run)(run.x if a in map(np.float32, newton.EXAMPLES) else 2 * run.x, run.k)

    _, result = found(newton.check_root, Function(only_hidden), "scan", seed=1)
    [finding] = result.findings
    assert finding.given == f"a random a near {float(draw(1, 1)[0]):.0e}"


# --- loops without end --------------------------------------------------------------------


def test_a_loop_without_end_is_stopped_and_named():
    def endless(a):
        return lax.while_loop(
            lambda c: c[1] >= 0, lambda c: (0.5 * (c[0] + a / c[0]), c[1]), (a, 0)
        )

    codes, result = found(newton.check_bound, endless, "while")
    assert codes == ["newton/unbounded"]
    assert "stopped the loop after 64 steps" in result.findings[0].came
    for version in ("scan", "while"):
        for check in (newton.check_root, newton.check_count, newton.check_transforms):
            found(check, endless, version)  # would never come back if it ran unwatched


def test_a_while_version_is_never_called_unwatched():
    concrete = []

    def picky(a):
        concrete.append(not isinstance(a, jax.core.Tracer))
        return lax.while_loop(lambda c: c[0] > float(a), lambda c: c, (a, 0))

    for check in (
        newton.check_root, newton.check_count, newton.check_integer, newton.check_bound,
        newton.check_structure, newton.check_transforms,
    ):  # fmt: skip
        assert found(check, picky, "while")[0] == ["newton/not-traceable"]
    assert concrete and not any(concrete)


# --- structure ----------------------------------------------------------------------------

HALF, TWO = jnp.array(0.5), jnp.array(2.0)


@pytest.mark.parametrize(
    ("fn", "shortcuts"),
    [
        (lambda a: a**2, []),
        (lambda a: a**2.0, []),
        (lambda a: jnp.power(a, 2.0) + a**-1.0, []),
        (lambda a: lax.fori_loop(0, 3, lambda i, x: x**TWO, a), []),
        (lambda a: jnp.exp(a), []),
        (lambda a: a**0.5, ["pow"]),
        (lambda a: jnp.power(a, HALF), ["pow"]),
        (lambda a: lax.fori_loop(0, 3, lambda i, x: x**0.25, a), ["pow"]),
        (jnp.sqrt, ["sqrt"]),
        (jax.jit(lambda a: a * lax.rsqrt(a)), ["rsqrt"]),
        (lambda a: jnp.cbrt(a) ** 1.5, ["cbrt", "pow"]),
        (lambda a: jnp.exp(jnp.log(a) / 2), ["exp", "log"]),
        (lambda a: lax.cond(a > 1, jnp.sqrt, lambda a: a, a), ["sqrt"]),
        (lambda a: jnp.hypot(a, a), ["sqrt"]),
    ],
)
def test_a_shortcut_is_an_operation_that_takes_a_root(fn, shortcuts):
    program = observe(fn, np.float32(2.0), through="trace").program
    assert newton._shortcuts(program) == shortcuts


def test_every_code_of_the_exercise_can_be_told():
    assert {f"newton/{code}" for code in CODES} <= set(TELL)
    assert set(WRONG_MODELS) < set(TELL)


@VERSIONS
def test_nothing_is_expected_of_an_answer_that_is_not_there(version):
    def unanswered(a):
        raise NotImplementedError("Your code here")

    for check in (
        newton.check_root, newton.check_count, newton.check_integer, newton.check_bound,
        newton.check_structure, newton.check_transforms,
    ):  # fmt: skip
        codes, result = found(check, unanswered, version)
        assert (codes, result.outcome) == ([], Outcome.NOT_ATTEMPTED)
    assert found(newton.check_gradient, unanswered)[1].outcome is Outcome.NOT_ATTEMPTED


# --- what the notebook says ---------------------------------------------------------------


def test_the_while_version_has_a_forward_derivative_but_no_reverse_one(solutions):
    def root(a):
        return solutions["newton_sqrt_while"](a)[0]

    with pytest.raises(ValueError, match="Reverse-mode differentiation does not work"):
        jax.grad(root)(2.0)
    x, slope = jax.jvp(root, (2.0,), (1.0,))
    assert (float(x), float(slope)) == pytest.approx((2**0.5, 8**-0.5), rel=1e-5)


def test_at_one_no_step_is_taken_and_close_to_one_a_single_one(solutions):
    slope = jax.grad(lambda a: solutions["newton_sqrt_scan"](a)[0])
    x, k = solutions["newton_sqrt_scan"](1.0)
    assert (float(x), int(k), float(slope(1.0))) == (1.0, 0, 1.0)
    near = [1.0 + sign * distance for sign in (-1, 1) for distance in (1e-4, 1e-3, 1.9e-3)]
    assert [int(solutions["newton_sqrt_scan"](a)[1]) for a in near] == [1] * len(near)
    errors = [abs(float(slope(a)) * 2 * a**0.5 - 1) for a in near]
    assert 5e-4 < max(errors) < 1e-3
