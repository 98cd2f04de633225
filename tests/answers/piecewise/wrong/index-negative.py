# expect: piecewise/index-range
# %% piecewise
def piecewise(x):
    # -1 for the left piece, as with Python lists
    i = jnp.where(x < 0, -1, jnp.where(x < jnp.pi, 1, 2))
    return lax.switch(i, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)
