# expect: returns/wrong-value
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    dones = dones.astype(rewards.dtype)

    def body(g, x):
        r, d = x
        g = r + (gamma - d) * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)[1]
