"""NumPy gives what XLA gives, to the last bit, or leaves the operation to XLA."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from graders.elementwise import BFLOAT16, KIND
from graders.elementwise import DTYPES as TAKEN
from graders.movement import MOST_SUMMED
from graders.scalars import RULES

FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    3.0,
    1e-3,
    1e20,
    -3e38,
    1e-38,
    1e-40,
    -1e-45,
    np.inf,
    -np.inf,
    np.nan,
]
USUAL = np.array([0.0, -0.0, 1.0, -1.5, 1e-3, 1e20, np.inf, -np.inf, np.nan], np.float32)
NUMBERS = {
    np.dtype("float32"): np.array(FLOATS, np.float32),
    np.dtype("int32"): np.array([0, 1, -1, 7, -8, 2**31 - 1, -(2**31)], np.int32),
    np.dtype("uint8"): np.array([0, 1, 7, 128, 255], np.uint8),
    np.dtype("int16"): np.array([0, 1, -3, 2**15 - 1, -(2**15)], np.int16),
    np.dtype("float16"): np.array(
        [0.0, -0.0, 1.0, -1.5, 1e-3, 6e4, 1e-7, np.inf, -np.inf, np.nan], np.float16
    ),
    BFLOAT16: np.array([*FLOATS, 1.0078125, 3.390625, 255.0, -7e-3], BFLOAT16),
    np.dtype("bool"): np.array([False, True]),
}
TWO = [lax.add, lax.sub, lax.mul, lax.div, lax.max, lax.min, lax.eq, lax.ne, lax.lt, lax.le, lax.gt,
       lax.ge, lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor]  # fmt: skip
ONE = [lax.neg, lax.abs, lax.sqrt, lax.square, lax.bitwise_not, lax.floor, lax.ceil, lax.is_finite,
       lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), lambda x: lax.clamp(x * 0, x, x),
       *(lambda x, y=y: lax.integer_pow(x, y) for y in (2, 3, 5, 7, -1, -2, -3))]  # fmt: skip
DTYPES = [dtype.name for dtype in NUMBERS]
WHOLE = [jnp.any, jnp.all, lambda x: x.T, lambda x: lax.broadcast(x, (3,)),
         lambda x: lax.broadcast_in_dim(x, (2, *x.shape), (1, 2)), lambda x: lax.squeeze(x, (0,)),
         lambda x: lax.bitcast_convert_type(x, "int32"), lambda x: lax.reshape(x, (x.size, 1)),
         lambda x: lax.rev(x, (1,)), lambda x: lax.slice(x, (0, 1), (1, 5), (1, 2)),
         lambda x: lax.pad(x, jnp.ones((), x.dtype), ((0, 0, 0), (1, 2, 3))),
         lambda x: lax.concatenate([x, x], 0),
         lambda x: lax.reduce_sum_p.bind(x, axes=(), out_sharding=None),
         lambda x: lax.cumsum(x, 1, reverse=True), lambda x: lax.sort(x, dimension=1),
         *(lambda x, d=d: lax.convert_element_type(x, d) for d in DTYPES)]  # fmt: skip
REDUCED = [lambda x: lax.reduce_sum_p.bind(x, axes=(1,), out_sharding=None),
           lambda x: jnp.max(x, 1), lambda x: jnp.min(x, 1), lambda x: lax.argmax(x, 1, "int32"),
           lambda x: lax.argmin(x, 0, "int32")]  # fmt: skip


def agrees(function, *args):
    """Whether NumPy was asked; what it said is compared with what XLA says."""
    try:
        program = jax.make_jaxpr(function)(*args)
        [equation] = program.eqns
    except (TypeError, ValueError):
        # It is not made for this dtype, or it is nothing or more than one operation.
        return False
    given = dict(zip(program.jaxpr.invars, args, strict=True))
    operands = [
        np.asarray(atom.val if hasattr(atom, "val") else given[atom], atom.aval.dtype)
        for atom in equation.invars
    ]
    name, result = equation.primitive.name, equation.outvars[0].aval.dtype
    if name not in RULES or not TAKEN.issuperset(x.dtype for x in operands):
        return False
    with np.errstate(all="ignore"):
        got = RULES[name](equation.params, *operands)
    if got is None:
        return False
    expected = equation.primitive.bind(*operands, **equation.params)
    if equation.primitive.multiple_results:
        [got], [expected] = got, expected
    expected = np.asarray(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)
    if KIND[result] == "f":
        zero = expected == 0
        np.testing.assert_array_equal(np.signbit(got)[zero], np.signbit(expected)[zero])
    return True


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_operations_on_one_array(dtype):
    numbers = NUMBERS[dtype]
    asked = [agrees(function, numbers[None, :]) for function in ONE + WHOLE]
    for function, number in itertools.product(ONE, numbers):
        asked.append(agrees(function, np.asarray(number)))
    assert sum(asked) >= 5


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_operations_on_two_arrays(dtype):
    left, right = (grid.ravel() for grid in np.meshgrid(NUMBERS[dtype], NUMBERS[dtype]))
    asked = 0
    for function in TWO:
        asked += agrees(function, left, right)
        if KIND[dtype] == "f":
            asked += agrees(function, *np.meshgrid(USUAL, USUAL))
    assert asked >= 6


def test_single_numbers():
    numbers = NUMBERS[np.dtype("float32")]
    asked = [
        agrees(function, *map(np.asarray, pair))
        for function in TWO[:4]
        for pair in itertools.product(numbers, numbers)
    ]
    assert 200 < sum(asked) < len(asked)


@pytest.mark.parametrize("which", [[True, False], [0, 1], [1, 2], [5, -5]])
def test_selecting(which):
    cases = [np.array([1.0, np.nan], np.float32) * number for number in range(3)]
    count = 2 if which[0] is True else 3
    assert agrees(lambda *args: lax.select_n(*args), np.array(which), *cases[:count])


@pytest.mark.parametrize(
    "name, operands",
    [("mul", [1e-30, 1e-15]), ("add", [1e-40, 0.0]), ("gt", [1e-40, 0.0]), ("sqrt", [1e-40])],
)
def test_what_xla_flushes_to_zero_is_left_to_xla(name, operands):
    given = [np.asarray(number, np.float32) for number in operands]
    dtype = np.dtype(bool if name == "gt" else np.float32)
    assert RULES[name]({}, *given) is None
    assert RULES[name]({}, *(abs(x) + 1 for x in given)).dtype == dtype


def test_what_some_processors_flush_to_zero_is_left_to_xla():
    # XLA copies bfloat16's subnormal numbers by some processors' own instructions, as zeros.
    functions = [lax.neg, lax.abs, *WHOLE]
    array = NUMBERS[BFLOAT16][None, :]
    normal = np.where(abs(array) < 1e-37, 1, array)
    assert not any(agrees(function, array) for function in functions)
    assert sum(agrees(function, normal) for function in functions) >= 10
    for numbers, asked in ((array, False), (normal, True)):
        assert agrees(lambda *given: lax.select_n(*given), numbers > 0, numbers, numbers) is asked


NUMBER = {dtype: np.random.default_rng(1).normal(size=(4, 40)).astype(dtype) * 3
          for dtype in ("float32", "float16", "bfloat16", "int32")}  # fmt: skip
INDEX = np.array([[1], [3], [1], [0]], np.int32)


@pytest.mark.parametrize("dtype", NUMBER)
@pytest.mark.parametrize("columns", [1, 2, 7, 16, 31, 32, 33])
def test_looking_an_array_through(dtype, columns):
    array = NUMBER[dtype][:, :columns]
    asked = [agrees(function, array) for function in REDUCED]
    assert sum(asked) >= 4
    whole = agrees(lambda x: jnp.sum(x, dtype=x.dtype), array[0])
    assert whole == (columns <= MOST_SUMMED) or dtype in ("float16", "bfloat16")
    for axes in ((0,), (0, 1)):
        agrees(lambda x, a=axes: lax.reduce_sum_p.bind(x, axes=a, out_sharding=None), array)
    agrees(lambda x: lax.reduce_sum_p.bind(x, axes=(1,), out_sharding=None),
           np.stack([array, array * 3, array / 7]))  # fmt: skip


GATHERED = {
    "rows": (lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 5)),
    "a column for each": (lax.GatherDimensionNumbers((0,), (1,), (1,)), (4, 1)),
    "windows": (lax.GatherDimensionNumbers((0, 2), (), (1,)), (4, 2)),
    "numbers": (lax.GatherDimensionNumbers((), (0, 1), (0,)), (1, 1)),
}


@pytest.mark.parametrize("mode", ["fill", "clip"])
@pytest.mark.parametrize("name", GATHERED)
def test_gathering(name, mode):
    numbers, sizes = GATHERED[name]

    def gather(x, i):
        return lax.gather(x, i, numbers, sizes, mode=mode)

    array = NUMBER["float32"][:, :5]
    assert agrees(gather, array, INDEX)
    assert not agrees(gather, array, INDEX + 9) and not agrees(gather, array, INDEX - 9)


def test_gathering_for_one_index():
    for numbers, sizes in (
        (lax.GatherDimensionNumbers((0,), (0,), (0,)), (1, 5)),
        (lax.GatherDimensionNumbers((0, 1), (), (1,)), (4, 2)),
    ):
        array = NUMBER["float32"][:, :5]
        assert agrees(lambda x, i, n=numbers, s=sizes: lax.gather(x, i, n, s), array, INDEX[1])


SCATTERS = {
    "scatter": lax.scatter,
    "scatter-add": lax.scatter_add,
    "scatter-max": lax.scatter_max,
    "scatter-min": lax.scatter_min,
}


@pytest.mark.parametrize("dtype", NUMBER)
@pytest.mark.parametrize("name", SCATTERS)
def test_scattering(name, dtype):
    array = NUMBER[dtype][:, :5]
    single = lax.ScatterDimensionNumbers((), (0,), (0,))
    rows = lax.ScatterDimensionNumbers((1,), (0,), (0,))

    def scatter(numbers):
        return lambda x, i, u: SCATTERS[name](x, i, u, numbers)

    places = np.random.default_rng(2).integers(0, 4, (30, 1)).astype(np.int32)
    updates = NUMBER[dtype].ravel()[:30]
    if name == "scatter-add" and dtype in ("float16", "bfloat16"):
        # float16's numbers are never far from the subnormal ones; XLA may add bfloat16's as others.
        assert not agrees(scatter(single), array[:, 0], places, updates)
        return
    assert agrees(scatter(single), array[:, 0], places, updates)
    assert agrees(scatter(rows), array, INDEX, array * 2)
    one = lax.ScatterDimensionNumbers((0,), (0,), (0,))
    assert agrees(scatter(one), array, INDEX[0], array[1])
    assert not agrees(scatter(single), array[:, 0], places + 4, updates)


def test_scattering_what_leaves_a_choice():
    numbers = lax.ScatterDimensionNumbers((), (0,), (0,))
    zeros = np.zeros(4, np.float32)
    for name, update in (("scatter-max", -0.0), ("scatter-max", np.nan), ("scatter-add", 1e-36)):
        given = zeros, INDEX, np.full(4, update, np.float32)
        assert not agrees(lambda x, i, u, n=name: SCATTERS[n](x, i, u, numbers), *given)


def test_slicing_by_an_index_and_stacking():
    array = NUMBER["float32"][:, :5]
    for start in np.array([-3, 0, 1, 4], np.int32):
        assert agrees(lambda x, i: lax.dynamic_slice_p.bind(x, i, i, slice_sizes=(2, 3)),
                      array, start)  # fmt: skip
        assert agrees(lambda x, u, i: lax.dynamic_update_slice_p.bind(x, u, i, i),
                      array, array[:2, :2], start)  # fmt: skip
    assert agrees(lambda: lax.broadcasted_iota("int32", (2, 3), 1))
