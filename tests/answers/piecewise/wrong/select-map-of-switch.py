# expect: piecewise/select-uses-cond
# %% piecewise_select
def piecewise_select(x):
    def one(v):
        i = jnp.where(v < 0, 0, jnp.where(v < jnp.pi, 1, 2))
        return lax.switch(i, [lambda u: u ** 2, jnp.sin, lambda u: u - jnp.pi], v)
    return lax.map(one, x.reshape(-1)).reshape(x.shape)
