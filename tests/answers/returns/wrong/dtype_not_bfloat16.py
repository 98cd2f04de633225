# expect: returns/dtype
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    # float16 stays float16, everything else is float32
    dtype = jnp.float16 if rewards.dtype == jnp.float16 else jnp.float32
    rewards, dones = rewards.astype(dtype), dones.astype(dtype)

    def body(g, x):
        g = x[0] + gamma * (1 - x[1]) * g
        return g, g

    return lax.scan(body, jnp.zeros((), dtype), (rewards, dones), reverse=True)[1]
