# expect: returns/exclusive
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        r, k = x
        future = gamma * k * g
        return r + future, future

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
