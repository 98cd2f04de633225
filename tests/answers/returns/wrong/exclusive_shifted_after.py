# expect: returns/exclusive
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(g, x):
        r, d = x
        g = jnp.where(d, r, r + gamma * g)
        return g, g

    init = jnp.zeros((), rewards.dtype)
    _, out = lax.scan(body, init, (rewards, dones.astype(bool)), reverse=True)
    return jnp.append(out[1:], init)
