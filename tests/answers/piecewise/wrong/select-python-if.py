# expect: piecewise/select-scalar-only
# expect: piecewise/python-if
# %% piecewise_select
def piecewise_select(x):
    if x < 0:
        return x ** 2
    if x < jnp.pi:
        return jnp.sin(x)
    return x - jnp.pi
