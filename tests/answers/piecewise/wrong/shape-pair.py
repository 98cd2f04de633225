# expect: piecewise/shape
# %% piecewise
def piecewise(x):
    index = jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))
    branches = [lambda v: (v**2, 0), lambda v: (jnp.sin(v), 1), lambda v: (v - jnp.pi, 2)]
    return lax.switch(index, branches, x)
