"""The words of exercise 4: what a student is told about each misunderstanding."""

from __future__ import annotations

from graders.findings import Finding

TELL: dict[str, tuple[str, str, str]] = {
    "piecewise/boundary-zero": (
        "x is in the wrong piece at the breakpoint 0",
        "x² and sin x meet at 0, so there the values hardly show which piece you are in. The "
        "slopes do: 2x is 0 at x = 0 and cos x is 1.",
        "Let the first piece end with x < 0, so that x = 0 itself belongs to sin x.",
    ),
    "piecewise/boundary-pi": (
        "x is in the wrong piece at the breakpoint π",
        "sin x and x − π meet at π, so there the values hardly show which piece you are in. The "
        "slopes do: cos x is −1 at x = π and x − π has slope 1.",
        "Let the second piece end with x < jnp.pi, so that x = π itself belongs to x − π; and "
        "write jnp.pi, not a rounded number.",
    ),
    "piecewise/python-if": (
        "Python, not JAX, decides which piece is used",
        "an if, bool(), int() or a list index needs a concrete value. Under jax.jit, jax.vmap or "
        "while JAX traces, x is a tracer and has none.",
        "Compute the index with jnp operations, for example jnp.where(x < 0, 0, …), and let JAX "
        "choose.",
    ),
    "piecewise/no-switch": (
        "there is no three-way lax.switch in the traced program",
        "the task is one lax.switch with one branch per piece. jnp.where and jnp.select compute "
        "every piece first, and two nested lax.cond are two decisions instead of one.",
        "Work out an index 0, 1 or 2 and call lax.switch(index, [piece0, piece1, piece2], x).",
    ),
    "piecewise/branch-order": (
        "a piece of f is computed by the wrong formula",
        "your value is what another piece of f gives at this x. Either the branches are listed "
        "in another order than the index counts them, or the index or condition picks another.",
        "Write down for x = −2, 1 and 4 which index or condition is the first to fit, and which "
        "formula stands at that place.",
    ),
    "piecewise/missing-offset": (
        "the last piece is x instead of x − π",
        "your value is x itself: π has not been subtracted, so f jumps by π at the breakpoint.",
        "Return x - jnp.pi in the last piece.",
    ),
    "piecewise/index-range": (
        "the index is not always 0, 1 or 2",
        "lax.switch clamps an index that is out of range to the nearest branch and does not "
        "complain. What reaches it here relies on that.",
        "Build the index from the two comparisons x < 0 and x < jnp.pi, so that it can only be 0, "
        "1 or 2.",
    ),
    "piecewise/select-uses-cond": (
        "there is a cond in the traced program of piecewise_select",
        "lax.switch and lax.cond choose one branch for one scalar index. The elementwise version "
        "has to choose for each element by itself.",
        "Use jnp.select([x < 0, x < jnp.pi], [...], default), or jnp.where, on the whole array.",
    ),
    "piecewise/select-scalar-only": (
        "piecewise_select does not work for every shape",
        "it has to take a scalar and arrays of any shape, and return one value for each element. "
        "An if, or a scalar branch, can answer for one x only; jax.vmap adds exactly one axis.",
        "Write it with jnp operations on the whole array: comparisons, arithmetic and "
        "jnp.select are elementwise already.",
    ),
    "piecewise/gradient": (
        "the derivative is not right",
        "the values are right, but the derivative is not: something on the way cuts or bends it "
        "(stop_gradient, rounding, a custom rule), or an operation has no derivative there.",
        "Compute each piece with differentiable operations only, and compare jax.grad with 2x, "
        "cos x and 1.",
    ),
    "piecewise/vmap": (
        "jax.vmap(piecewise) does not do what it should",
        "under jax.vmap each element has its own index, so that the whole batch can no longer "
        "take one branch; your function keeps that from happening, or gives other values.",
        "Leave the batching to jax.vmap: write piecewise for one scalar with plain lax.switch.",
    ),
    "piecewise/not-traceable": (
        "JAX cannot trace it",
        "under a transformation x is a tracer. NumPy's and math's functions, float() and indexing "
        "with a boolean mask need concrete values.",
        "Keep to jnp and lax operations on x.",
    ),
    "piecewise/shape": (
        "the result is not a scalar",
        "for a scalar x, piecewise must return one number of shape ().",
        "Look at what each branch returns; lax.switch returns it as it is.",
    ),
    "piecewise/wrong-value": (
        "a value is not right",
        "it follows none of the three pieces.",
        "Work out f by hand at this x and compare with the branch that your code takes.",
    ),
}  # fmt: skip


def finding(code: str, **details: str) -> Finding:
    """The finding with this code, told in the words of this module."""
    headline, why, next_step = TELL[code]
    return Finding(code, headline, why=why, next_step=next_step, **details)
