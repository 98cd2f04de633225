# %% piecewise_select
def piecewise_select(x):
    y = jnp.square(x)
    y = jnp.where((0 <= x) & (x < jnp.pi), jnp.sin(x), y)
    y = jnp.where(jnp.pi <= x, x - jnp.pi, y)
    return y
# %% piecewise_cost
piecewise_cost = {
    "scalar": len(["sin"]),
    "batched_index": 1 + 1 + 1,
    "unbatched_index": jnp.array(1),
    "primitive": "select n",
}
