"""Plain data across the boundary: exact round trips, and documents from a hostile hand."""

import json
import math

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders import values
from graders.values import NotPlainError, decode, encode

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128", ml_dtypes.bfloat16,
]  # fmt: skip


def through_json(value):
    return decode(json.loads(json.dumps(encode(value), allow_nan=False)))


def test_scalars_keep_type_and_value():
    for value in (
        None,
        True,
        False,
        0,
        -3,
        1.5,
        -0.0,
        "",
        "é\n\u2028",
        2**53,
        2**53 + 1,
        -(2**200),
    ):
        back = through_json(value)
        assert type(back) is type(value)
        assert back == value
    assert math.copysign(1, through_json(-0.0)) == -1


def test_what_json_has_no_word_for():
    assert math.isnan(through_json(math.nan))
    assert through_json((math.inf, -math.inf)) == (math.inf, -math.inf)
    assert through_json(complex(1, -2)) == 1 - 2j
    assert math.isnan(through_json(complex(math.nan, 0)).real)


def test_containers_keep_their_kind():
    value = {"a": [1, (2, {3, "x"})], (1, 2): {"b": ()}, 5: frozenset({1})}
    back = through_json(value)
    assert back == value
    assert type(back["a"][1]) is tuple
    assert type(back["a"][1][1]) is set


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.sets(st.integers(), max_size=3)
    ),
    max_leaves=10,
)


@given(plain)
def test_any_plain_data_comes_back(value):
    assert through_json(value) == value


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 1, 3)], ids=str)
def test_arrays_come_back_bit_for_bit(dtype, shape):
    array = np.random.default_rng(0).uniform(0, 100, shape).astype(dtype)
    back = through_json(array)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()
    back[...] = 0  # one's own, writable copy
    assert (
        array.tobytes() == np.random.default_rng(0).uniform(0, 100, shape).astype(dtype).tobytes()
    )


def test_nan_payloads_and_byte_order_survive():
    odd = np.array([0x7FC00001, 0xFF800000], np.uint32).view(np.float32)
    assert through_json(odd).tobytes() == odd.tobytes()
    transposed = np.arange(6.0).reshape(2, 3).T
    np.testing.assert_array_equal(through_json(transposed), transposed)


def test_jax_arrays_come_back_as_numpy_ones():
    back = through_json((jnp.float32(2), jnp.arange(3), np.float64(1)))
    assert all(type(item) is np.ndarray for item in back)
    assert [str(item.dtype) for item in back] == ["float32", "int32", "float64"]


def test_an_exception_class_travels_as_its_name():
    assert through_json((ValueError, KeyError)) == ("ValueError", "KeyError")


@pytest.mark.parametrize(
    "value",
    [object(), lambda: 0, int, np.array([object()]), np.array(["text"]), range(3), b"bytes",
     np.zeros(2, "datetime64[s]"), np.zeros(1, "f4,i4"), 2**5000],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_other_things_are_refused(value):
    with pytest.raises(NotPlainError):
        encode([value])


def loop():
    value = []
    value.append(value)
    return value


def endless():
    class Endless(list):
        def __iter__(self):
            while True:
                yield 0

    return Endless()


@pytest.mark.parametrize(
    "value",
    [np.zeros(values.MAX_BYTES + 1, bool), "x" * (values.MAX_BYTES + 1),
     [np.zeros(values.MAX_BYTES // 2 + 1, bool)] * 2, [0] * values.MAX_ITEMS, loop(), endless()],
    ids=["array", "text", "together", "items", "itself", "endless"],
)  # fmt: skip
def test_what_is_too_large_is_refused(value):
    with pytest.raises(NotPlainError, match="too large"):
        encode(value)


def test_the_largest_value_still_travels():
    value = np.zeros(values.MAX_BYTES, bool)
    assert through_json(value).shape == value.shape


def test_a_text_that_lies_about_itself():
    class Liar(str):
        def __str__(self):
            return "right"

        def __eq__(self, other):
            return True

        __hash__ = str.__hash__

    back = decode(encode(Liar("wrong")))
    assert (type(back), back) == (str, "wrong")


class Forged:
    """Looks like an array, and says of itself what suits it."""

    def __init__(self, shape, dtype="float32"):
        self.shape, self.dtype = shape, dtype

    def __array__(self, dtype=None, copy=None):
        return np.zeros(2, np.float32)


def test_a_forged_array_is_found_out():
    assert decode(encode(Forged((2,)))).tolist() == [0, 0]
    with pytest.raises(NotPlainError):
        decode(encode(Forged((1000,))))
    with pytest.raises(NotPlainError):
        encode(Forged((10**12,)))
    with pytest.raises(NotPlainError):
        encode(Forged((2,), "anything"))


def array(**changes):
    return {"array": {"dtype": "float32", "shape": [1], "data": "AAAAAA=="} | changes}


@pytest.mark.parametrize(
    "document",
    [
        [], [1], {}, {"a": 1, "b": 2}, {"pickle": "gASV"}, {"__class__": "x"}, {1: 2},
        {"int": "1e9"}, {"int": "0x10"}, {"int": None}, {"float": "much"},
        {"float": []}, {"complex": [1]}, {"complex": ["a", "b"]}, {"complex": 3},
        {"tuple": 5}, {"tuple": None}, {"list": [[]]}, {"set": [{"list": []}]},
        {"dict": 1}, {"dict": [1]}, {"dict": [[1, 2, 3]]}, {"dict": [[{"list": []}, 1]]},
        {"array": 1}, {"array": {}}, array(dtype="object"), array(dtype="O"), array(dtype=["f4"]),
        array(dtype="float128"), array(shape=[-1]), array(shape=[2]), array(shape=["a"]),
        array(shape=3), array(shape=[1] * 40), array(shape=[10**9, 10**9]), array(shape=[1.5, "x"]),
        array(data="AAA"), array(data="****"), array(data=""), array(data=7), array(data=None),
    ],
    ids=lambda document: str(document)[:40],
)  # fmt: skip
def test_malformed_documents_are_refused(document):
    with pytest.raises(NotPlainError):
        decode(document)


def test_documents_that_would_fill_the_memory_are_refused():
    deep = 1
    for _ in range(5000):
        deep = {"list": [deep]}
    bomb = {"array": {"dtype": "float64", "shape": [10**12], "data": ""}}
    for document in (deep, bomb, {"list": [0] * values.MAX_ITEMS}, "x" * (values.MAX_BYTES + 1)):
        with pytest.raises(NotPlainError):
            decode(document)


def test_a_huge_integer_text_is_cut_not_computed():
    assert decode({"int": "9" * 10**6}) < 10**1300


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["int", "float", "complex", "tuple", "list", "set", "dict", "array", "dtype",
                 "shape", "data", "x"]
            ),
            inner,
            max_size=3,
        ),
        max_leaves=12,
    )
)  # fmt: skip
def test_any_json_is_decoded_or_refused(document):
    try:
        back = decode(document)
    except NotPlainError:
        return
    encode(back)
