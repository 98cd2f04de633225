# %% piecewise_select
def _one(v):
    return lax.switch(jnp.where(v < 0, 0, jnp.where(v < jnp.pi, 1, 2)), [jnp.square, jnp.sin, lambda u: u - jnp.pi], v)

def piecewise_select(x):
    x = jnp.asarray(x)
    return jax.vmap(_one)(x.ravel()).reshape(x.shape)
