# %% piecewise
import jax as J
import jax.numpy as np
import jax.lax as L

def piecewise(x):
    i = np.where(x < 0, 0, np.where(x < np.pi, 1, 2))
    return L.switch(i, [lambda v: v**2, np.sin, lambda v: v - np.pi], x)
# %% piecewise_select
import jax.numpy as np

def piecewise_select(x):
    return np.select([x < 0, x < np.pi], [x**2, np.sin(x)], x - np.pi)
