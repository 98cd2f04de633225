# expect: returns/inverted-dones
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    dones = dones.astype(rewards.dtype)

    def body(later, x):
        now = x[0] + gamma * x[1] * later
        return now, now

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)[1]
