# expect: returns/discounts-reward
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = jnp.asarray(1 - dones, rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    _, out = lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)
    return gamma * out
