# expect: returns/dtype
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = (1 - dones) if dones.dtype == rewards.dtype else ~dones

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
