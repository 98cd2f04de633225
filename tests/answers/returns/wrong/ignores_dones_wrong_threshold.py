# expect: returns/ignores-dones
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(later, x):
        now = x[0] + jnp.where(x[1] > 1, 0, gamma * later)
        return now, now

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)[1]
