# %% discounted_returns
import jax.numpy as np
from jax import Array
from jax.lax import scan


def discounted_returns(rewards: Array, dones: Array, gamma: float) -> Array:
    """G[t] = r[t] + gamma (1 - d[t]) G[t+1]."""
    alive: Array = np.where(dones, 0.0, 1.0).astype(rewards.dtype)

    def backup(future: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        reward, goes_on = now
        value = reward + goes_on * (gamma * future)
        return value, value

    _, values = scan(f=backup, init=np.zeros((), rewards.dtype), xs=(rewards, alive), reverse=True)
    return values
