# expect: returns/discounts-reward
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    discounted = (gamma * rewards).astype(rewards.dtype)

    def body(g, x):
        r, d = x
        g = jnp.where(d, r, r + gamma * g)
        return g, g

    xs = (discounted, dones.astype(bool))
    return lax.scan(body, jnp.zeros((), rewards.dtype), xs, reverse=True)[1]
