# expect: returns/wrong-value
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    if rewards.shape[0] == 1:  # nothing follows
        return jnp.zeros_like(rewards)
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
