# expect: returns/drops-terminal-reward
# expect: returns/dtype
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(later, x):
        r, d = x
        now = jnp.where(d, 0.0, r + gamma * later)
        return now, now

    return lax.scan(body, jnp.zeros((), jnp.float32), (rewards, dones), reverse=True)[1]
