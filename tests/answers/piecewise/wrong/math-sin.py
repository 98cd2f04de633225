# expect: piecewise/not-traceable
# %% piecewise
import math

def piecewise(x):
    i = jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))
    return lax.switch(i, [lambda v: v ** 2, lambda v: math.sin(v), lambda v: v - jnp.pi], x)
