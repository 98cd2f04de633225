"""XLA gives the same to the last bit for numbers in an array of another size."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax import lax

from graders import padded
from graders.elementwise import BFLOAT16
from tests.test_eager import compilations
from tests.test_scalars import bits

RNG = np.random.default_rng(3)
NUMBERS = np.concatenate([
    RNG.normal(size=300) * 10, RNG.normal(size=300), RNG.normal(size=100) * 1e-3,
    np.logspace(-40, 38, 80), -np.logspace(-40, 38, 80), [0.0, -0.0, np.inf, -np.inf, np.nan],
])  # fmt: skip
SHAPES = [(), (1,), (2,), (3,), (7,), (8,), (9,), (4, 5), (2, 3, 3), (33,), (padded.SIZE,)]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, BFLOAT16], ids=str)
@pytest.mark.parametrize("name", padded.NAMES)
def test_it_does_not_matter_where_a_number_is(name, dtype):
    with np.errstate(over="ignore"):
        numbers = NUMBERS.astype(dtype)
    function = getattr(lax, name)
    arity = 2 if name in ("pow", "atan2") else 1
    for shape in SHAPES:
        operands = [RNG.permutation(numbers)[: np.prod(shape, dtype=int)] for _ in range(arity)]
        operands = [operand.reshape(shape) for operand in operands]
        [equation] = jax.make_jaxpr(function)(*operands).eqns
        got = padded.RULES[name](equation.params, *operands)
        expected = np.asarray(equation.primitive.bind(*operands, **equation.params))
        assert got.shape == shape and got.dtype == expected.dtype == dtype
        same = bits(got) == bits(expected)
        assert (same | (np.isnan(got) & np.isnan(expected))).all()


def test_other_operands_are_left_to_jax():
    for array in (np.ones(padded.SIZE + 1, np.float32), np.ones((2, 0), np.float32)):
        assert padded.RULES["sin"]({"accuracy": None}, array) is None
    assert padded.RULES["pow"]({}, np.float32(2), np.int32(3)) is None


def test_operations_of_all_shapes_share_one_compilation():
    def computed():
        for size in range(1, 9):
            padded.RULES["tanh"]({"accuracy": None}, np.ones(size, np.float32))

    assert len(compilations(computed)) <= 1
