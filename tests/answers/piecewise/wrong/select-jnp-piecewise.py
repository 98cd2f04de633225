# expect: piecewise/select-uses-cond
# %% piecewise_select
def piecewise_select(x):
    # for a scalar, jnp.piecewise leaves a switch in the program
    return jnp.piecewise(x, [x < 0, (x >= 0) & (x < jnp.pi)], [jnp.square, jnp.sin, lambda v: v - jnp.pi])
