# %% piecewise
@jax.checkpoint
def piecewise(x):
    idx = jnp.heaviside(x, 1.0) + jnp.heaviside(x - jnp.pi, 1.0)
    return lax.switch(idx.astype(int), [lambda v: v * v, lambda v: jnp.sin(v), lambda v: jnp.subtract(v, jnp.pi)], x)
