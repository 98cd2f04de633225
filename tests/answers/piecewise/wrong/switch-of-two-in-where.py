# expect: piecewise/no-switch
# %% piecewise
def piecewise(x):
    right = lax.switch((x >= jnp.pi).astype(int), [jnp.sin, lambda v: v - jnp.pi], x)
    return jnp.where(x < 0, x ** 2, right)
