# expect: piecewise/python-if
# %% piecewise
def piecewise(x):
    if x < 0:
        return x ** 2
    elif x < jnp.pi:
        return jnp.sin(x)
    else:
        return x - jnp.pi
