# expect: piecewise/branch-order
# %% piecewise_select
def piecewise_select(x):
    return jnp.select([x < jnp.pi, x < 0], [jnp.sin(x), x ** 2], x - jnp.pi)
