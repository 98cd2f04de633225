# expect: returns/not-traceable
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    # "vmap hands over the whole batch"
    if type(rewards).__name__ == "BatchTracer":
        return jax.vmap(discounted_returns, in_axes=(0, 0, None))(rewards, dones, gamma)
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
