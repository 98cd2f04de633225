# expect: returns/python-loop
# %% discounted_returns
@jax.jit
def discounted_returns(rewards, dones, gamma):
    T = rewards.shape[0]
    G = jnp.zeros(T + 1, rewards.dtype)
    for t in reversed(range(T)):
        G = G.at[t].set(rewards[t] + gamma * (1 - dones[t].astype(rewards.dtype)) * G[t + 1])
    return G[:T]
