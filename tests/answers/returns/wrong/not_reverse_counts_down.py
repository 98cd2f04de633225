# expect: returns/not-reverse
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    T = rewards.shape[0]
    dones = dones.astype(rewards.dtype)

    def body(carry, i):
        g, out = carry
        t = T - 1 - i
        g = rewards[t] + gamma * (1 - dones[t]) * g
        return (g, out.at[t].set(g)), None

    init = (jnp.zeros((), rewards.dtype), jnp.zeros_like(rewards))
    (_, out), _ = lax.scan(body, init, jnp.arange(T))
    return out
