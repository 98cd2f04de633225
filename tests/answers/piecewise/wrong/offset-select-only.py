# expect: piecewise/missing-offset
# %% piecewise_select
def piecewise_select(x):
    return jnp.where(x < 0, jnp.square(x), jnp.where(x >= jnp.pi, x, jnp.sin(x)))
