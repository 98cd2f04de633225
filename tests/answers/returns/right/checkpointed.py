# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    @jax.checkpoint
    def body(later, x):
        reward, done = x
        now = reward + gamma * (1 - done) * later
        return now, now

    dones = jnp.asarray(dones, rewards.dtype)
    _, out = lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)
    return out
