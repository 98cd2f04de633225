# expect: piecewise/no-switch
# %% piecewise
def piecewise(x):
    return jnp.where(x < 0, x ** 2, jnp.where(x < jnp.pi, jnp.sin(x), x - jnp.pi))
