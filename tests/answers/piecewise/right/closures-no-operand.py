# %% piecewise
def piecewise(x):
    # the branches close over x and take no operand
    branches = [lambda: x ** 2, lambda: jnp.sin(x), lambda: x - jnp.pi]
    which = jnp.where(x >= jnp.pi, 2, jnp.where(x >= 0, 1, 0))
    return lax.switch(which, branches)
