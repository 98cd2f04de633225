# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(later, x):
        r, done = x
        now = lax.cond(done, lambda later: r, lambda later: r + gamma * later, later)
        return now, now

    start = jnp.zeros((), rewards.dtype)
    _, result = lax.scan(body, start, (rewards, dones.astype(bool)), reverse=True)
    return result
