# expect: piecewise/branch-order
# %% piecewise
def piecewise(x):
    i = (x >= 0).astype(int)
    return lax.switch(i, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)
