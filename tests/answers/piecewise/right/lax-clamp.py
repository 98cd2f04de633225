# %% piecewise
def piecewise(x):
    n = lax.clamp(0, jnp.floor(x / jnp.pi).astype(int) + 1, 2)
    return lax.switch(n, [jnp.square, jnp.sin, lambda v: v - jnp.pi], x)
