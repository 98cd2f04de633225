# expect: piecewise/select-scalar-only
# %% piecewise_select
def piecewise_select(x):
    x = jnp.ravel(x)
    return jnp.select([x < 0, x < jnp.pi], [x ** 2, jnp.sin(x)], x - jnp.pi)
