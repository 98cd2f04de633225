# expect: returns/raises
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)
    # the last two steps by hand, the others in a loop
    last = rewards[-1:]
    before = rewards[-2] + gamma * keep[-2] * last

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    xs = (rewards[:-2], keep[:-2])
    _, out = lax.scan(body, before[0], xs, length=len(rewards) - 2, reverse=True)
    return jnp.concatenate([out, before, last])
