# expect: returns/carry-only
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        return x[0] + gamma * x[1] * g, None

    g, _ = lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)
    return jnp.full_like(rewards, 1) * g
