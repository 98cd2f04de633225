# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    """The factor of G_{t+1} is known before the loop."""
    factors = (gamma * (1 - dones)).astype(rewards.dtype)

    def body(g, x):
        reward, factor = x
        g = lax.add(reward, lax.mul(factor, g))
        return g, g

    return lax.scan(body, lax.full((), 0, rewards.dtype), (rewards, factors), reverse=True)[1]
