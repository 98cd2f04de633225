# expect: piecewise/select-uses-cond
# %% piecewise_select
@jnp.vectorize
def piecewise_select(v):
    i = jnp.where(v < 0, 0, jnp.where(v < jnp.pi, 1, 2))
    return lax.switch(i, [lambda u: u ** 2, jnp.sin, lambda u: u - jnp.pi], v)
