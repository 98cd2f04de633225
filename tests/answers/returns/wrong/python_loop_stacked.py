# expect: returns/python-loop
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = jnp.asarray(1 - dones, rewards.dtype)
    g = jnp.zeros((), rewards.dtype)
    out = []
    for r, k in zip(rewards[::-1], keep[::-1]):
        g = r + gamma * k * g
        out.append(g)
    return jnp.stack(out[::-1])
