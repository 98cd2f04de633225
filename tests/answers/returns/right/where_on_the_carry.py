# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    zero = jnp.zeros((), rewards.dtype)

    def body(later, step):
        r, d = step
        later = jnp.where(d == 1, zero, later)
        now = (r + gamma * later).astype(rewards.dtype)
        return now, now

    return lax.scan(body, zero, (rewards, dones), reverse=True)[1]
