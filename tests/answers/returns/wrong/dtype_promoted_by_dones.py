# expect: returns/dtype
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(g_next, inp):
        r, d = inp
        g = r + gamma * (1.0 - d) * g_next
        return g, g

    _, G = lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)
    return G
