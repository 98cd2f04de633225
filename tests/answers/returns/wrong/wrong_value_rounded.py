# expect: returns/wrong-value
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    out = lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
    return jnp.round(out, 2)
