# expect: returns/inverted-dones
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(later, x):
        r, d = x
        now = lax.cond(d, lambda: r + gamma * later, lambda: r)
        return now, now

    xs = (rewards, dones.astype(bool))
    return lax.scan(body, jnp.zeros((), rewards.dtype), xs, reverse=True)[1]
