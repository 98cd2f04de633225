"""Whether JAX computes `W @ x` right where `W` is a constant that a function closes over.

Some builds of jaxlib for the CPU compile such products wrongly from some size on, without a word.
Run as `python -m graders.doctor.closure`: prints the wrong cases as a JSON list.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

SIZES = (8, 64, 128, 256, 512)
TOLERANCE = 1e-3
"""Of the sum of absolute values; float32's own error is a thousandth of that."""


def wrong_cases(compile_: Callable[[Any], Any] | None = None) -> list[str]:
    """The cases in which a compiled product differs from NumPy's.

    Args:
        compile_: what compiles a function; `jax.jit` if `None`.

    Returns:
        For example `["128×128 @ 128, sum"]`.
    """
    import jax
    import jax.numpy as jnp
    import numpy as np

    compile_ = compile_ or jax.jit
    reductions: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
        "no reduction": (lambda y: y, lambda y: y),
        "sum": (jnp.sum, np.sum),
        "sum of squares": (lambda y: jnp.sum(y * y), lambda y: np.sum(y * y)),
    }
    random = np.random.default_rng(0)
    wrong = []
    for size in SIZES:
        for shape in ((size,), (size, 8)):
            matrix = random.normal(size=(size, size)).astype(np.float32)
            operand = random.normal(size=shape).astype(np.float32)
            constant = jnp.asarray(matrix)
            product = matrix.astype(np.float64) @ operand.astype(np.float64)
            for name, (ours, theirs) in reductions.items():

                def program(x: Any, reduce: Any = ours, constant: Any = constant) -> Any:
                    return reduce(constant @ x)

                expected = theirs(product)
                scale = np.max(np.abs(theirs(np.abs(product))))
                error = np.max(np.abs(np.asarray(compile_(program)(operand)) - expected))
                if not error <= TOLERANCE * scale:
                    wrong.append(f"{size}×{size} @ {'×'.join(map(str, shape))}, {name}")
    return wrong


if __name__ == "__main__":
    print(json.dumps(wrong_cases()))
