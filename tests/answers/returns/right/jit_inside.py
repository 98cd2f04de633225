# %% discounted_returns
@jax.jit
def discounted_returns(rewards, dones, gamma):
    dones = dones.astype(rewards.dtype)

    @jax.jit
    def body(later, step):
        g = step[0] + gamma * (1 - step[1]) * later
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, dones), reverse=True)[1]
