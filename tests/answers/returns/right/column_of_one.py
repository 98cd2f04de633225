# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    r = rewards.reshape(-1, 1)
    keep = (1 - dones).reshape(-1, 1).astype(rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    _, out = lax.scan(body, jnp.zeros((1,), rewards.dtype), (r, keep), reverse=True)
    return jnp.squeeze(out, axis=1)
