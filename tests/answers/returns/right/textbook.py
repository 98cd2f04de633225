# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(g_next, inp):
        r, d = inp
        g = r + gamma * (1.0 - d) * g_next
        return g, g

    inputs = (rewards, dones.astype(rewards.dtype))
    _, G = lax.scan(body, jnp.zeros((), rewards.dtype), inputs, reverse=True)
    return G
