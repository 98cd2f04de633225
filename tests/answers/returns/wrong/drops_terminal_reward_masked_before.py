# expect: returns/drops-terminal-reward
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    alive = jnp.asarray(1 - dones, rewards.dtype)
    rewards = rewards * alive

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, alive), reverse=True)[1]
