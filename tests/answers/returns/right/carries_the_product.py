# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = jnp.asarray(1 - dones, rewards.dtype)
    # what step t - 1 will add is made at step t, with the d of step t - 1 scanned along
    before = jnp.concatenate([jnp.ones((1,), rewards.dtype), keep[:-1]])

    def body(added, x):
        r, keep_before = x
        g = r + added
        return gamma * keep_before * g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, before), reverse=True)[1]
