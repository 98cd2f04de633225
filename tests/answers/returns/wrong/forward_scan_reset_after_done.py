# expect: returns/forward-scan
# expect: returns/not-reverse
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(total, x):
        r, k = x
        total = r + gamma * total
        return total * k, total

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep))[1]
