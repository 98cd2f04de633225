# expect: piecewise/select-uses-cond
# %% piecewise_select
def piecewise_select(x):
    return lax.cond(x < 0, lambda v: v ** 2,
                    lambda v: lax.cond(v < jnp.pi, jnp.sin, lambda u: u - jnp.pi, v), x)
