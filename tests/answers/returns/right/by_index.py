# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    T = rewards.shape[0]
    dones = dones.astype(rewards.dtype)

    def body(g, t):
        g = rewards[t] + gamma * (1 - dones[t]) * g
        return g, g

    _, out = lax.scan(body, jnp.zeros((), rewards.dtype), jnp.arange(T), reverse=True)
    return out
