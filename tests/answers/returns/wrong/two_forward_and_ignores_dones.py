# expect: returns/forward-scan
# expect: returns/ignores-dones
# expect: returns/not-reverse
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(total, r):
        total = gamma * total + r
        return total, total

    return lax.scan(body, jnp.zeros((), rewards.dtype), rewards)[1]
