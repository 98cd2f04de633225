# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    # half precision in and out, float32 in between
    def body(g, x):
        g = x[0] + gamma * (1.0 - x[1]) * g
        return g, g

    xs = (rewards.astype(jnp.float32), dones.astype(jnp.float32))
    _, g = lax.scan(body, jnp.float32(0), xs, reverse=True)
    return g.astype(rewards.dtype)
