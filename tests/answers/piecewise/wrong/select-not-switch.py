# expect: piecewise/no-switch
# %% piecewise
def piecewise(x):
    y = jnp.select([x < 0, x < jnp.pi], [x ** 2, jnp.sin(x)], x - jnp.pi)
    return y
