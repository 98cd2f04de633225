# expect: returns/gradient
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(jnp.float32)
    factors = jnp.exp(jnp.log(gamma * keep)).astype(rewards.dtype)  # exp(-inf) = 0

    def body(g, x):
        g = x[0] + x[1] * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, factors), reverse=True)[1]
