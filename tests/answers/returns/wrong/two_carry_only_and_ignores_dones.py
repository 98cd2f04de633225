# expect: returns/carry-only
# expect: returns/ignores-dones
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(later, r):
        now = r + gamma * later
        return now, now

    total, _ = lax.scan(body, jnp.zeros((), rewards.dtype), rewards, reverse=True)
    return total
