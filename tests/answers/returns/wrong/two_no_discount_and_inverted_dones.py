# expect: returns/inverted-dones
# expect: returns/no-discount
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(later, x):
        r, d = x
        now = jnp.where(d, r + later, r)
        return now, now

    xs = (rewards, dones != 0)
    return lax.scan(body, jnp.zeros((), rewards.dtype), xs, reverse=True)[1]
