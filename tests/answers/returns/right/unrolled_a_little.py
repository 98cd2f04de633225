# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    body = lambda g, x: (x[0] + gamma * x[1] * g,) * 2
    xs = (rewards, 1 - dones.astype(rewards.dtype))
    _, g = lax.scan(body, jnp.zeros((), rewards.dtype), xs, reverse=True, unroll=4)
    return g
