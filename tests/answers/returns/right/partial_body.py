# %% discounted_returns
from functools import partial


def one_step(discount, g, rd):
    r, keep = rd
    g = r + discount * keep * g
    return g, g


def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)
    return lax.scan(partial(one_step, gamma), jnp.zeros_like(rewards[0]), (rewards, keep), reverse=True)[1]
