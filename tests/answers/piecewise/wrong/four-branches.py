# expect: piecewise/no-switch
# %% piecewise
def piecewise(x):
    i = jnp.select([x < 0, x < jnp.pi, x == jnp.pi], [0, 1, 2], 3)
    return lax.switch(i, [jnp.square, jnp.sin, lambda v: v - jnp.pi, lambda v: v - jnp.pi], x)
