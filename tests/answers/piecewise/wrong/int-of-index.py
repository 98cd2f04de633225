# expect: piecewise/python-if
# %% piecewise
def piecewise(x):
    i = int(x >= 0) + int(x >= jnp.pi)
    return lax.switch(i, [jnp.square, jnp.sin, lambda v: v - jnp.pi], x)
