# expect: returns/dtype
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    rewards = rewards.astype(jnp.float32)
    keep = 1 - dones.astype(jnp.float32)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    return lax.scan(body, jnp.float32(0), (rewards, keep), reverse=True)[1]
