# %% piecewise
import functools

PIECES = [jnp.square, jnp.sin, lambda v: v - jnp.pi]
SLOPES = [lambda v: 2 * v, jnp.cos, jnp.ones_like]

def _index(x):
    return jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))

@jax.custom_jvp
def piecewise(x):
    return lax.switch(_index(x), PIECES, x)

@piecewise.defjvp
def _piecewise_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return piecewise(x), lax.switch(_index(x), SLOPES, x) * dx
