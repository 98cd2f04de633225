# %% discounted_returns
from typing import NamedTuple


class Step(NamedTuple):
    reward: jax.Array
    done: jax.Array


def discounted_returns(rewards, dones, gamma):
    def body(g, step: Step):
        g = step.reward + gamma * g * (1 - step.done)
        return g, g

    steps = Step(rewards, dones.astype(rewards.dtype))
    return lax.scan(body, jnp.zeros((), rewards.dtype), steps, reverse=True)[1]
