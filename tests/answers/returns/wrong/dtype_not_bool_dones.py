# expect: returns/dtype
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(g, x):
        r, d = x
        g = r + gamma * (-d + 1) * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)[1]
