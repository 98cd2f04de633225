# expect: returns/shape
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    start = jnp.zeros((), rewards.dtype)
    _, out = lax.scan(body, start, (rewards, keep), reverse=True)
    return jnp.append(out, start)  # G_0 ... G_T
