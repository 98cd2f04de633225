# expect: returns/raises
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    G = jnp.zeros_like(rewards)
    later = 0.0
    for t in reversed(range(len(rewards))):
        later = rewards[t] + gamma * (1 - dones[t]) * later
        G[t] = later
    return G
