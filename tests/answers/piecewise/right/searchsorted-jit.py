# %% piecewise
import functools
import numpy as np

BREAKS = np.array([0, np.pi], np.float32)

@functools.partial(jax.jit, inline=True)
def piecewise(x):
    index = jnp.searchsorted(BREAKS, x, side="right")
    return jax.lax.switch(index, [lambda t: t ** 2.0, lambda t: jnp.sin(t), lambda t: t - np.float32(np.pi)], x)
# %% piecewise_select
@jax.jit
def piecewise_select(x):
    y = jnp.where(x < jnp.pi, jnp.sin(x), x - jnp.pi)
    return jnp.where(x < 0, jnp.square(x), y)
# %% piecewise_cost
piecewise_cost = {"Scalar": 1.0, "batched index": 3.0, "Unbatched_Index ": jnp.int32(1), "PRIMITIVE": "SELECT_N"}
