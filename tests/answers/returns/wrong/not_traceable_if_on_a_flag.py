# expect: returns/not-traceable
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    g = jnp.zeros((), rewards.dtype)
    out = []
    for t in reversed(range(rewards.shape[0])):
        if dones[t]:
            g = rewards[t]
        else:
            g = rewards[t] + gamma * g
        out.insert(0, g)
    return jnp.stack(out)
