# expect: returns/exclusive
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    dones = dones.astype(rewards.dtype)

    def body(later, x):
        r, d = x
        return r + gamma * (1 - d) * later, later

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)[1]
