# expect: returns/ignores-dones
# expect: returns/no-discount
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    def body(total, r):
        total = total + r
        return total, total

    return lax.scan(body, jnp.zeros((), rewards.dtype), rewards, reverse=True)[1]
