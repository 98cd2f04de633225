# expect: piecewise/boundary-pi
# %% piecewise_select
def piecewise_select(x):
    return jnp.where(x > jnp.pi, x - jnp.pi, jnp.where(x >= 0, jnp.sin(x), x ** 2))
