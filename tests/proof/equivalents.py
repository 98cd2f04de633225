"""Mutants that are as good as the solution they come from, each with its reason."""

_CLOSURE = "in each call v is x itself"
_IDLE = "a step from the root leads back to it, and k counts the active steps only"
_ROUNDING = "no count that the checks rely on hangs on a residual within rounding of the tolerance"
_HALF = (
    "a residual is known to a quarter of the tolerance only, in float32: no count that is certain "
    "tells half the tolerance from all of it"
)

EQUIVALENT = {
    "discounted_returns: 9: start = jnp.zeros((), rewards.dtype)"
    "  →  start = jnp.zeros((), keep.dtype)": "keep has the dtype of rewards",
    "newton_sqrt_scan: 6: active = jnp.abs(x * x - a) >= 1e-06 * a"
    "  →  active = jnp.abs(x * x - a) > 1e-06 * a": _ROUNDING,
    "newton_sqrt_scan: 6: active = jnp.abs(x * x - a) >= 1e-06 * a"
    "  →  active = jnp.abs(x * x - a) >= 5e-07 * a": _HALF,
    "newton_sqrt_scan: 7: x = jnp.where(active, 0.5 * (x + a / x), x)"
    "  →  x = 0.5 * (x + a / x)": _IDLE,
    "newton_sqrt_scan: 7: x = jnp.where(active, 0.5 * (x + a / x), x)"
    "  →  x = jnp.where(a, 0.5 * (x + a / x), x)": _IDLE,
    "newton_sqrt_scan: 7: x = jnp.where(active, 0.5 * (x + a / x), x)"
    "  →  x = jnp.where(x, 0.5 * (x + a / x), x)": _IDLE,
    "newton_sqrt_scan: 9: (x, k), _ = lax.scan(step, (a, jnp.int32(0)), None, length=30)"
    "  →  (x, k), _ = lax.scan(step, (a, 0), None, length=30)": "0 becomes an int32 in the carry",
    "newton_sqrt_scan: 9: (x, k), _ = lax.scan(step, (a, jnp.int32(0)), None, length=30)"
    "  →  (x, k), _ = lax.scan(step, (a, jnp.int32(0)), length=30)": "xs is None by default",
    "newton_sqrt_while: 6: return (jnp.abs(x * x - a) >= 1e-06 * a) & (k < 30)"
    "  →  return (jnp.abs(x * x - a) > 1e-06 * a) & (k < 30)": _ROUNDING,
    "newton_sqrt_while: 6: return (jnp.abs(x * x - a) >= 1e-06 * a) & (k < 30)"
    "  →  return (jnp.abs(x * x - a) >= 5e-07 * a) & (k < 30)": _HALF,
    "segment_softmax: 4: weights = jnp.exp(scores - lax.stop_gradient(highest)[seg])"
    "  →  weights = jnp.exp(scores - highest[seg])": "the softmax does not depend on what is "
    "subtracted, so neither does its gradient",
    "piecewise: 4: return lax.switch(index, [jnp.square, jnp.sin, lambda v: v - jnp.pi], x)"
    "  →  return lax.switch(index, [jnp.square, jnp.sin, lambda v: x - jnp.pi], x)": _CLOSURE,
}
"""By the mutant's name: the solution cell, the line's number, the line before and after."""
