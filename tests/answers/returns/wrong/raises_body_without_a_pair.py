# expect: returns/raises
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        return x[0] + gamma * x[1] * g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
