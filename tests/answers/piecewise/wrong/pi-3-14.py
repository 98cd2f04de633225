# expect: piecewise/boundary-pi
# %% piecewise
PI = 3.14

def piecewise(x):
    i = jnp.where(x < 0, 0, jnp.where(x < PI, 1, 2))
    return lax.switch(i, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)
