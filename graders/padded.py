"""Operations of a traced program that only XLA computes to the last bit, on one size for all.

NumPy's exponential is another one than XLA's, so XLA has to be asked; but it compiles an operation
anew for every shape, which takes forty milliseconds, and reading that from the compilation cache
takes ten. Here the numbers are put into an array that always has the same size. That does not
change what XLA makes of each of them, for the operations that are here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jax import lax

from graders.elementwise import KIND, Rule

SIZE = 128
"""The size of the array. More numbers are left to JAX."""

NAMES = (
    "exp", "exp2", "expm1", "log", "log1p", "pow", "rsqrt", "sin", "cos", "tan", "asin", "acos",
    "atan2", "sinh", "cosh", "tanh", "logistic",
)  # fmt: skip
"""The operations: not `atan` and `erf`, whose last bit depends on a number's place in the array."""


def _rule(primitive: Any) -> Rule:
    def rule(parameters: Mapping[str, Any], *operands: Any) -> Any:
        first = operands[0]
        if not 0 < first.size <= SIZE or KIND[first.dtype] != "f":
            return None
        if any(x.dtype != first.dtype or x.shape != first.shape for x in operands):
            return None
        arrays = np.ones((len(operands), SIZE), first.dtype)
        for array, operand in zip(arrays, operands, strict=True):
            array[: first.size] = operand.ravel()
        value = np.asarray(primitive.bind(*arrays, **parameters))
        return value[: first.size].reshape(first.shape)

    return rule


RULES: dict[str, Rule] = {name: _rule(getattr(lax, f"{name}_p")) for name in NAMES}
"""The rules by the primitives' names."""
