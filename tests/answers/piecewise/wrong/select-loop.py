# expect: piecewise/select-scalar-only
# expect: piecewise/python-if
# %% piecewise_select
def piecewise_select(x):
    out = []
    for v in x:
        if v < 0:
            out.append(v ** 2)
        elif v < jnp.pi:
            out.append(jnp.sin(v))
        else:
            out.append(v - jnp.pi)
    return jnp.stack(out)
