# expect: piecewise/branch-order
# %% piecewise
def piecewise(x):
    i = jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))
    return lax.switch(i, [lambda v: v - jnp.pi, jnp.sin, lambda v: v ** 2], x)
