# expect: piecewise/python-if
# %% piecewise
def piecewise(x):
    v = float(x)
    if v <= 0:
        return x * x
    if v <= 3.141592653589793:
        return jnp.sin(x)
    return x - jnp.pi
