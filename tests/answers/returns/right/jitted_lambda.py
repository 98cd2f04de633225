# %% discounted_returns
discounted_returns = jax.jit(
    lambda rewards, dones, gamma: lax.scan(
        lambda g, x: 2 * (jnp.where(x[1], x[0], x[0] + gamma * g),),
        jnp.zeros((), rewards.dtype),
        (rewards, dones.astype(bool)),
        reverse=True,
    )[1]
)
