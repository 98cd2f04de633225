# expect: returns/no-scan
# expect: returns/gradient
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)

    def body(state):
        t, g, out = state
        g = rewards[t] + gamma * keep[t] * g
        return t - 1, g, out.at[t].set(g)

    start = (rewards.shape[0] - 1, jnp.zeros((), rewards.dtype), jnp.zeros_like(rewards))
    return lax.while_loop(lambda state: state[0] >= 0, body, start)[2]
