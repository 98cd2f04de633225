# expect: piecewise/index-range
# %% piecewise
def piecewise(x):
    i = jnp.int32(x >= 0) + 2 * jnp.int32(x >= jnp.pi)
    return lax.switch(i, [jnp.square, jnp.sin, lambda v: v - jnp.pi], x)
