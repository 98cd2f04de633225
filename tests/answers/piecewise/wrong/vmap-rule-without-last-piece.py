# expect: piecewise/vmap
# expect: piecewise/branch-order
# %% piecewise
from jax.custom_batching import custom_vmap

@custom_vmap
def piecewise(x):
    i = jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))
    return lax.switch(i, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)

@piecewise.def_vmap
def _rule(size, batched, x):
    return jnp.where(x < 0, x ** 2, jnp.sin(x)), True
