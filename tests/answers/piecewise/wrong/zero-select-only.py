# expect: piecewise/boundary-zero
# %% piecewise_select
def piecewise_select(x):
    return jnp.select([x <= 0, x < jnp.pi], [x ** 2, jnp.sin(x)], x - jnp.pi)
