# %% piecewise
def piecewise(x):
    i = jnp.clip(jnp.floor(x / jnp.pi).astype(int) + 1, 0, 2)
    return lax.switch(i, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)
