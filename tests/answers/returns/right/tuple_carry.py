# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    # carry: the return so far and how many steps it is made of (for debugging)
    def f(carry, x):
        g, n = carry
        r, d = x
        g = r + gamma * (1 - d) * g
        n = jnp.where(d > 0, 1, n + 1)
        return (g, n), g

    init = (jnp.zeros((), rewards.dtype), 0)
    (_, _), out = jax.lax.scan(f, init, (rewards, dones.astype(rewards.dtype)), reverse=True)
    return out
