# expect: piecewise/raises
# %% piecewise
def piecewise(x):
    i = jnp.where(x < 0, 0.0, jnp.where(x < jnp.pi, 1.0, 2.0))
    return lax.switch(i, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)
