# expect: returns/discounts-reward
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    dones = dones.astype(rewards.dtype)

    def body(later, x):
        r, d = x
        now = gamma * (r + (1 - d) * later)
        return now, now

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)[1]
