# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(g, x):
        r, d = x
        g = r + jnp.where(d, 0, gamma * g)
        return g, g

    _, out = lax.scan(
        body, jnp.zeros((), rewards.dtype), (rewards, dones != 0), length=rewards.shape[0],
        reverse=True, unroll=True,
    )
    return out
