# expect: returns/gradient
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    gamma = lax.stop_gradient(gamma)  # a hyperparameter
    keep = 1 - dones.astype(rewards.dtype)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
