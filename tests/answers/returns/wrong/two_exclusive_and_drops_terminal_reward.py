# expect: returns/exclusive
# expect: returns/drops-terminal-reward
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(later, x):
        r, k = x
        now = r + gamma * later
        return k * now, later

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
