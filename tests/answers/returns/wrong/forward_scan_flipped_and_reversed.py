# expect: returns/forward-scan
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    # flip in, reverse, flip out
    r = jnp.flip(rewards)
    d = jnp.flip(dones).astype(rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * (1 - x[1]) * g
        return g, g

    _, out = lax.scan(body, jnp.zeros((), rewards.dtype), (r, d), reverse=True)
    return jnp.flip(out)
