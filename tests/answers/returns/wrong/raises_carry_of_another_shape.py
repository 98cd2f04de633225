# expect: returns/raises
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        g = rewards + gamma * x * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), keep, reverse=True)[1]
