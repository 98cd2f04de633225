# expect: returns/no-scan
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    factors = jnp.asarray(gamma * (1 - dones), rewards.dtype)

    def combine(later, now):
        a, b = later
        c, d = now
        return a * c, d + c * b

    _, out = lax.associative_scan(combine, (factors, rewards), reverse=True)
    return out
