# expect: piecewise/boundary-pi
# %% piecewise_select
def piecewise_select(x):
    return jnp.where(x < 0, x ** 2, jnp.where(x < jnp.pi / 2, jnp.sin(x), x - jnp.pi))
