# expect: returns/forward-scan
# expect: returns/not-reverse
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    dones = dones.astype(rewards.dtype)

    def body(g, x):
        r, d = x
        g = r + gamma * (1 - d) * g
        return g, g

    _, out = lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones))
    return out
