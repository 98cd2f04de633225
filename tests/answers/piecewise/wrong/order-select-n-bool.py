# expect: piecewise/branch-order
# %% piecewise_select
def piecewise_select(x):
    # select_n(False) is the first case
    right = lax.select_n(x < jnp.pi, jnp.sin(x), x - jnp.pi)
    return jnp.where(x < 0, x ** 2, right)
