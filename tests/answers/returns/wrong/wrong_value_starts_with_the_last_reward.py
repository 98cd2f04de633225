# expect: returns/wrong-value
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    return lax.scan(body, rewards[-1], (rewards, keep), reverse=True)[1]
