# expect: piecewise/no-switch
# %% piecewise
def piecewise(x):
    which = jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))
    return lax.select_n(which, x ** 2, jnp.sin(x), x - jnp.pi)
