# expect: returns/flipped-output
# expect: returns/not-reverse
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    r, d = rewards[::-1], dones[::-1].astype(rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * (1 - x[1]) * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (r, d))[1]
