# expect: returns/not-reverse
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    T = rewards.shape[0]
    keep = 1 - dones.astype(rewards.dtype)

    def body(i, G):
        t = T - 1 - i
        return G.at[t].set(rewards[t] + gamma * keep[t] * G[t + 1])

    G = jnp.zeros(T + 1, rewards.dtype)
    return lax.fori_loop(0, T, body, G)[:T]
