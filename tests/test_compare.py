"""Comparing numbers, and writing them for readers."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.compare import (
    EPS32,
    as_float,
    brief,
    close,
    matching,
    numeric_gradient,
    tolerances_scaled,
)

BFLOAT16 = ml_dtypes.bfloat16


@pytest.mark.parametrize(
    "value",
    [1, 1.0, True, np.float16(1), np.ones(1, BFLOAT16)[0], np.array(1, np.int8), np.array(True)],
    ids=lambda value: type(value).__name__,
)
def test_numbers_become_float64(value):
    array = as_float(value)
    assert (array.dtype, array.shape, float(array)) == (np.float64, (), 1)


@pytest.mark.parametrize(
    "value",
    [None, "1", "one", 1j, [1, "a"], [[1], [1, 2]], {"a": 1}, {1}, object(), np.array([1j]),
     np.array([None])],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_other_things_are_no_numbers(value):
    assert as_float(value) is None
    assert not close(value, 1.0, rtol=1, atol=1)


def test_close_is_within_both_tolerances_together():
    assert close([1.0, 100.0], [1.05, 105.0], rtol=0.05)
    assert not close([1.0, 100.0], [1.05, 106.0], rtol=0.05)
    assert close([0.0], [0.1], rtol=0, atol=0.1)
    assert not close([0.0], [0.1], rtol=0.5)


def test_shapes_must_agree():
    assert not close(np.ones((3, 1)), np.ones(3), rtol=1)
    assert not close(1.0, [1.0], rtol=1)
    assert close([], [], rtol=0)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_never_close(odd):
    assert not close([1.0, odd], [1.0, 1.0], rtol=1e9, atol=1e9)
    assert not close([odd], [0.0], rtol=np.finfo(float).max)


def test_half_precision_is_compared_by_value():
    assert close(np.array([1.5], BFLOAT16), [1.5], rtol=0)
    assert not close(np.array([1.01], BFLOAT16), [1.01], rtol=EPS32)


def test_scaled_tolerances_are_scaled_and_restored():
    with tolerances_scaled(2):
        assert close(1.015, 1.0, rtol=0.01)
        with tolerances_scaled(0.5):
            assert not close(1.008, 1.0, rtol=0.01)
    assert not close(1.015, 1.0, rtol=0.01)
    with pytest.raises(ZeroDivisionError), tolerances_scaled(100):
        raise ZeroDivisionError
    assert not close(1.015, 1.0, rtol=0.01)


def test_matching_names_the_model_that_explains_every_input():
    expected = [np.array([1.0, 2.0]), np.array([3.0])]
    models = {
        "right": expected,
        "half right": [expected[0], np.array([0.0])],
        "wrong": [np.array([0.0, 0.0]), np.array([3.0])],
    }
    for name in ("half right", "wrong"):
        assert matching(models[name], models, expected, rtol=1e-6) == name
    # A right answer is no misconception, and half of one is none either.
    assert matching(expected, models, expected, rtol=1e-6) is None
    assert matching([models["wrong"][0], np.array([9.0])], models, expected, rtol=1e-6) is None
    assert matching([None, models["wrong"][1]], models, expected, rtol=1e-6) is None


def test_matching_takes_the_first_of_several():
    models = {"first": [np.zeros(2)], "second": [np.zeros(2)]}
    assert matching([np.zeros(2)], models, [np.ones(2)], rtol=0) == "first"


def test_numeric_gradient_of_a_polynomial():
    point, scale = np.array([[1.0, -2.0], [0.5, 3.0]]), 0.7

    def fn(x, name, y):
        return float(np.sum(x**3) * y)

    by_x, by_y = numeric_gradient(fn, (point, "unused", scale), (0, 2))
    np.testing.assert_allclose(by_x, 3 * point**2 * scale, rtol=1e-7)
    np.testing.assert_allclose(by_y, np.sum(point**3), rtol=1e-7)
    assert (by_x.shape, by_y.shape) == ((2, 2), ())
    assert point[0, 0] == 1  # the arguments stay as they were


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"), (2.0, "2"), (1 / 3, "0.3333"), (True, "True"), (None, "None"), ("a", "'a'"),
        (1e-30, "1e-30"), (float("nan"), "nan"), (np.float32(2.5), "2.5"), (1 + 2j, "(1+2j)"),
        (np.array([1, 2]), "[1, 2]"), (np.array([[True], [False]]), "[[True], [False]]"),
        (np.array([0.5], BFLOAT16), "[0.5]"), ((1, np.array([2.0])), "(1, [2])"),
        ([1, 2.5], "[1, 2.5]"), (np.array([]), "[]"), ({"a": 1}, "{'a': 1}"),
        (np.arange(9), "[0, 1, 2, 3, …] (shape (9,))"),
    ],
    ids=str,
)  # fmt: skip
def test_brief(value, text):
    assert brief(value) == text


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    )
)
def test_brief_is_brief_and_never_raises(value):
    assert len(brief(value)) <= 200
