# expect: piecewise/boundary-zero
# expect: piecewise/boundary-pi
# %% piecewise
def piecewise(x):
    i = jnp.searchsorted(jnp.array([0.0, jnp.pi], x.dtype), x)
    return lax.switch(i, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)
