# expect: returns/drops-terminal-reward
# expect: returns/no-discount
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    dones = dones.astype(rewards.dtype)

    def body(later, x):
        r, d = x
        now = (r + later) * (1 - d)
        return now, now

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)[1]
