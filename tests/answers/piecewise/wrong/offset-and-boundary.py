# expect: piecewise/missing-offset
# expect: piecewise/boundary-pi
# %% piecewise
def piecewise(x):
    idx = jnp.int32(x >= 0) + jnp.int32(x > jnp.pi)
    return lax.switch(idx, [jnp.square, jnp.sin, lambda v: v + 0.0], x)
