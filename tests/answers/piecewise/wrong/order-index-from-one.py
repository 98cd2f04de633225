# expect: piecewise/branch-order
# expect: piecewise/index-range
# %% piecewise
def piecewise(x):
    i = jnp.where(x < 0, 1, jnp.where(x < jnp.pi, 2, 3))
    return lax.switch(i, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)
