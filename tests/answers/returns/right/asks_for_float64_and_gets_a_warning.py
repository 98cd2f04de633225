# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    print("tracing", rewards.shape, rewards.dtype)
    r = rewards.astype(jnp.float64)
    d = dones.astype(jnp.float64)

    def body(g, x):
        r, d = x
        g = r + gamma * (1 - d) * g
        return g, g

    _, g = lax.scan(body, jnp.zeros((), r.dtype), (r, d), reverse=True)
    return g.astype(rewards.dtype)
