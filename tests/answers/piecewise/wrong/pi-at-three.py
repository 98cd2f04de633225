# expect: piecewise/boundary-pi
# %% piecewise
def piecewise(x):
    index = jnp.int32(x >= 0) + jnp.int32(x >= 3)
    return lax.switch(index, [jnp.square, jnp.sin, lambda v: v - jnp.pi], x)
