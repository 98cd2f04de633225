"""Segment softmax: the reference, the judges, and the bank of answers."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders import _softmax_program as program
from graders import softmax
from graders._softmax_inputs import EMPTY, EXAMPLE, LARGE, MANY, UNSORTED, large, with_gaps
from graders._softmax_models import WRONG_MODELS, oracle
from graders._softmax_words import TELL
from graders.compare import numeric_gradient, tolerances_scaled
from graders.findings import Finding
from graders.jaxprs import Equation, Program
from graders.observe import (
    Call,
    Observation,
    Problem,
    observation_from_json,
    observation_to_json,
)

Judge = Callable[[Sequence[Call], Sequence[Observation]], Any]

# --- the reference ------------------------------------------------------------------------


@st.composite
def inputs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    k = draw(st.integers(1, 6))
    seg = draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=12))
    # Whole numbers keep differences exact in float64 at any offset.
    scores = draw(st.lists(st.integers(-30, 30), min_size=len(seg), max_size=len(seg)))
    return np.array(scores, np.float64), np.array(seg), k


@given(inputs())
def test_the_oracle_agrees_with_exponentials_over_their_sums(case):
    scores, seg, k = case
    e = np.exp(scores)
    sums = np.bincount(seg, weights=e, minlength=k)
    np.testing.assert_allclose(oracle(scores, seg, k), e / sums[seg], rtol=1e-12)


@given(inputs(), st.lists(st.integers(-(10**5), 10**5), min_size=6, max_size=6))
def test_the_oracle_does_not_see_an_offset_of_a_segment(case, offsets):
    scores, seg, k = case
    moved = scores + np.array(offsets)[seg]
    np.testing.assert_array_equal(oracle(moved, seg, k), oracle(scores, seg, k))


@given(inputs(), st.randoms(use_true_random=False))
def test_the_oracle_does_not_depend_on_the_order(case, random):
    scores, seg, k = case
    order = np.array(random.sample(range(len(seg)), len(seg)))
    np.testing.assert_allclose(
        oracle(scores[order], seg[order], k), oracle(scores, seg, k)[order], rtol=1e-12
    )


def test_the_example_is_as_the_notebook_says():
    np.testing.assert_allclose(oracle(*EXAMPLE), [0.25, 0.75, 1, 0.25, 0.25, 0.5], rtol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_difference_quotient_agrees_with_the_formula(seed):
    weights = np.random.default_rng(seed).uniform(0.5, 1.5, 12)
    for scores, seg, k in (*large(seed), with_gaps(seed)):
        p = oracle(scores, seg, k)
        mean = np.bincount(seg, weights=weights * p, minlength=k)[seg]
        [came] = numeric_gradient(
            lambda s, seg=seg, k=k: float(weights @ oracle(s, seg, k)), (scores,), (0,), step=1e-5
        )
        np.testing.assert_allclose(came, p * (weights - mean), atol=1e-6)


# --- the checks, on made-up observations: no JAX, so that many seeds cost little ------------


Plan = Callable[..., tuple[Sequence[Call], Judge]]


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Says for a check which calls it would make, and who would judge them."""

    def planned(check: Callable[..., None], **how: Any) -> tuple[Sequence[Call], Judge]:
        caught: list[Any] = []
        monkeypatch.setattr(softmax, "run", lambda *args: caught.append(args[3:]))
        check(None, **how)
        return caught[0]

    return planned


def judged(
    plan: Plan, check: Callable[..., None], model: Callable[..., Any], **how: Any
) -> set[str]:
    """The codes a check finds in an answer that returns `model(scores, seg, num_segments)`."""
    return {finding.code for finding in findings(plan, check, model, **how)}


def findings(
    plan: Plan, check: Callable[..., None], model: Callable[..., Any], **how: Any
) -> list[Finding]:
    calls, judge = plan(check, **how)
    results = [np.asarray(model(*program.arguments(call)), np.float32) for call in calls]
    return list(judge(calls, [Observation("returned", result) for result in results]))


VALUE_CHECKS = (
    softmax.check_values,
    softmax.check_order,
    softmax.check_stable,
    softmax.check_empty,
)


@pytest.mark.parametrize("check", VALUE_CHECKS)
@pytest.mark.parametrize("factor", [0.5, 1, 2])
def test_the_oracle_passes_whatever_the_seed(plan, check, factor):
    with tolerances_scaled(factor):
        for seed in (None, *range(50)):
            assert judged(plan, check, oracle, seed=seed) == set()


@pytest.mark.parametrize(
    ("code", "check"),
    [
        ("softmax/no-max", softmax.check_stable),
        ("softmax/global-max", softmax.check_stable),
        ("softmax/global-sum", softmax.check_values),
        ("softmax/global-sum", softmax.check_stable),
    ],
)
def test_a_wrong_model_is_named_whatever_the_seed(plan, code, check):
    with tolerances_scaled(2):
        for model in WRONG_MODELS[code]:
            for seed in (None, *range(50)):
                codes = judged(plan, check, model, seed=seed)
                assert codes == {code}


def by_runs(scores: np.ndarray, seg: np.ndarray, k: int) -> np.ndarray:
    """Takes each run of equal ids for a segment of its own."""
    runs = np.cumsum(np.append(0, np.diff(seg) != 0))
    return oracle(scores, runs, len(seg))


def by_counts(scores: np.ndarray, seg: np.ndarray, k: int) -> np.ndarray:
    """Takes the first scores for segment 0, the next for segment 1, and so on."""
    return oracle(scores, np.sort(seg), k)


@pytest.mark.parametrize("model", [by_counts, by_runs])
def test_what_is_right_on_sorted_ids_only_assumes_them(plan, model):
    for seed in (None, *range(50)):
        assert judged(plan, softmax.check_values, model, seed=seed) == set()
        codes = judged(plan, softmax.check_order, model, seed=seed)
        assert codes == {"softmax/assumes-sorted"}


def nan_on_empty(scores: np.ndarray, seg: np.ndarray, k: int) -> np.ndarray:
    return oracle(scores, seg, k) * (1 if len(np.unique(seg)) == k else np.nan)


def test_what_is_right_without_empty_segments_only_is_told_so(plan):
    for seed in (None, *range(50)):
        assert judged(plan, softmax.check_stable, nan_on_empty, seed=seed) == set()
        codes = judged(plan, softmax.check_empty, nan_on_empty, seed=seed)
        assert codes == {"softmax/empty-segment"}


def test_the_seed_of_the_gradients_decides_nothing(plan):
    for seed in range(50):
        calls, judge = plan(softmax.check_gradient, seed=seed)
        half = len(calls) // 2
        cases = [program.arguments(call) for call in calls]
        values = [Observation("returned", oracle(*case)) for case in cases[:half]]
        weights = np.asarray(calls[-1].through[0].weights, np.float64)
        exact, cut = [], []
        for case in cases[half:]:
            p = oracle(*case)
            mean = np.bincount(case[1], weights=weights * p, minlength=case[2])[case[1]]
            exact.append(Observation("returned", (p * (weights - mean),)))
            cut.append(Observation("returned", (p * weights,)))
        assert list(judge(calls, values + exact)) == []
        codes = {finding.code for finding in judge(calls, values + cut)}
        assert codes == {"softmax/gradient"}


def test_a_finding_does_not_print_a_random_input(plan):
    shown = findings(plan, softmax.check_values, WRONG_MODELS["softmax/global-sum"][0], seed=3)
    assert shown[0].given == "drawn at random: random scores; N = 12, num_segments = 4"
    assert len(re.findall(r"\d\.\d", shown[0].expected)) <= 4


@pytest.mark.parametrize("value", [None, "text", [1.0, 2.0], {"a": 1}, np.inf, ((),), np.zeros(3)])
@pytest.mark.parametrize(
    "check", [*VALUE_CHECKS, softmax.check_jit, softmax.check_structure, softmax.check_gradient]
)
def test_any_returned_value_is_judged_as_wrong(plan, check, value):
    calls, judge = plan(check)
    seen = [
        observation_from_json(
            observation_to_json(Observation("returned", value, program=Program()))
        )
        for _ in calls
    ]
    found = list(judge(calls, seen))
    # Values are not the business of check_jit, as long as jit and a plain call agree.
    assert found or check is softmax.check_jit
    assert all(f.code in TELL for f in found)


@pytest.mark.parametrize("slope", [None, (), (None,), (np.full(6, np.nan),), "text"])
def test_any_wrong_slope_is_judged_as_wrong(plan, slope):
    calls, judge = plan(softmax.check_gradient)
    right = Observation("returned", oracle(*EXAMPLE))
    [found] = judge(calls, [right, Observation("returned", slope)])
    assert found.code == "softmax/gradient"


def equation(primitive: str, *shape: int, **parameters: bool | int) -> Equation:
    return Equation(primitive, parameters, (shape,), ("float32",))


SEGMENT_OPS = (equation("scatter-max", 16), equation("scatter-add", 16), equation("gather", 24))


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ((), None),
        # Picking one entry at a place known beforehand is sorted by nature.
        ((equation("gather", indices_are_sorted=True),), None),
        ((equation("gather", 24, indices_are_sorted=True),), "softmax/assumes-sorted"),
        ((equation("scatter-add", 16, unique_indices=True),), "softmax/assumes-unique"),
        ((equation("eq", 24, 16),), "softmax/dense"),
        ((equation("eq", 384),), "softmax/dense"),
        ((equation("eq", 24, 24),), "softmax/dense"),
        ((equation("broadcast_in_dim", 24, 1),), None),
        ((equation("sort", 24),), "softmax/other-ops"),
    ],
)
def test_structure_is_read_from_the_program(more, code):
    calls = program.traces("", ids_known=False)
    seen = [Observation("returned", program=Program((*SEGMENT_OPS, *more)))] * 10
    found = [f.code for f in program.judge_structure(calls * 2, seen)]
    assert found == ([] if code is None else [code])


@pytest.mark.parametrize("loop", ["python", "scan"])
@pytest.mark.parametrize("over", [0, 1])
def test_work_that_grows_with_a_size_is_a_loop(loop, over):
    def programs(n: int, k: int) -> Program:
        passes = (n, k)[over]
        body = (equation("select_n", 24), equation("add", 24))
        if loop == "python":
            return Program(SEGMENT_OPS + passes * body)
        scan = Equation("scan", {"length": passes}, ((24,),), ("float32",), (Program(body),))
        return Program((*SEGMENT_OPS, scan))

    calls = program.traces("") * 2
    sizes = [(len(call.args[0]), call.kwargs["num_segments"]) for call in calls]
    seen = [Observation("returned", program=programs(*size)) for size in sizes]
    [found] = program.judge_structure(calls, seen)
    assert found.code == "softmax/python-loop"
    assert ("N", "num_segments")[over] in found.given


def test_an_exception_on_empty_segments_only_is_told_so():
    calls = [Call(case[:2], {"num_segments": 3}) for case in EMPTY]
    problem = Problem("ValueError", (), "zero-size array to reduction operation max")
    seen = [
        Observation("returned", oracle(*EXAMPLE)),
        *[Observation("raised", problem=problem)] * 3,
    ]
    found = list(softmax.judge_results(calls, seen))
    assert {f.code for f in found} == {"softmax/empty-segment"}
    assert "zero-size" in found[0].came


def test_the_visible_inputs_are_what_their_labels_say():
    assert all(np.all(np.diff(seg) >= 0) for _, seg, _ in (*EMPTY, *LARGE, MANY))
    assert np.any(np.diff(UNSORTED[1]) < 0)
    assert [sorted(set(seg.tolist())) for _, seg, _ in EMPTY] == [[0, 1, 2], [0, 1], [0, 2], [1, 2]]
    assert MANY[2] > len(MANY[0])
