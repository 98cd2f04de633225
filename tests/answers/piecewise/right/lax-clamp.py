# %% piecewise
def piecewise(x):
    n = lax.clamp(0, jnp.int32(jnp.floor(x / jnp.pi)) + 1, 2)
    return lax.switch(n, [jnp.square, jnp.sin, lambda v: v - jnp.pi], x)
