# expect: returns/ignores-dones
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(later, x):
        r, k = x
        cut = k * later  # and then forgotten
        now = r + gamma * later
        return now, now

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
