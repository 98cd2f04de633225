# expect: returns/drops-terminal-reward
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(later, x):
        r, d = x
        now = jnp.where(d, 0, r + gamma * later)
        return now, now

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones != 0), reverse=True)[1]
