"""NumPy gives what XLA gives, to the last bit, or leaves the operation to XLA."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from graders import elementwise

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
    np.dtype("bool"): np.array([False, True]),
}
TWO = [lax.add, lax.sub, lax.mul, lax.div, lax.max, lax.min, lax.eq, lax.ne, lax.lt, lax.le, lax.gt,
       lax.ge, lax.bitwise_and, lax.bitwise_or, lax.bitwise_xor]  # fmt: skip
ONE = [lax.neg, lax.abs, lax.sqrt, lax.square, lax.bitwise_not, lambda x: lax.integer_pow(x, 2),
       lambda x: lax.integer_pow(x, 3)]  # fmt: skip
DTYPES = ["float32", "int32", "int16", "uint8", "float16", "bool"]
WHOLE = [jnp.any, jnp.all, lambda x: x.T, lambda x: lax.broadcast(x, (3,)),
         lambda x: lax.broadcast_in_dim(x, (2, *x.shape), (1, 2)), lambda x: lax.squeeze(x, (0,)),
         *(lambda x, d=d: lax.convert_element_type(x, d) for d in DTYPES)]  # fmt: skip


def agrees(function, *args):
    """Whether NumPy was asked; what it said is compared with what XLA says."""
    try:
        [equation] = jax.make_jaxpr(function)(*args).eqns
    except (TypeError, ValueError):
        # It is not made for this dtype, or it is nothing or more than one operation.
        return False
    given = iter(args)
    operands = [
        np.asarray(atom.val if hasattr(atom, "val") else next(given), atom.aval.dtype)
        for atom in equation.invars
    ]
    name, result = equation.primitive.name, equation.outvars[0].aval.dtype
    if name not in elementwise.NAMES or not elementwise.DTYPES.issuperset(
        x.dtype for x in operands
    ):
        return False
    with np.errstate(all="ignore"):
        got = elementwise.apply(name, equation.params, operands, result)
    if got is None:
        return False
    expected = np.asarray(equation.primitive.bind(*operands, **equation.params))
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)
    if result.kind == "f":
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
        if dtype.kind == "f":
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
    assert elementwise.apply(name, {}, given, dtype) is None
    assert elementwise.apply(name, {}, [abs(x) + 1 for x in given], dtype) is not None
