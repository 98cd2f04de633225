# expect: returns/shape
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        r, k = x
        g = r + gamma * k * g
        return g, g

    xs = (rewards[:, None], keep[:, None])
    return lax.scan(body, jnp.zeros((1,), rewards.dtype), xs, reverse=True)[1]
