# expect: piecewise/python-if
# %% piecewise
def piecewise(x):
    branches = [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi]
    i = jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))
    return branches[i](x)
