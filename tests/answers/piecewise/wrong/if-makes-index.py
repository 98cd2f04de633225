# expect: piecewise/python-if
# %% piecewise
def piecewise(x):
    index = 0 if x < 0 else 1 if x < jnp.pi else 2
    return lax.switch(index, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)
