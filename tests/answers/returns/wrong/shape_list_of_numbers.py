# expect: returns/shape
# expect: returns/python-loop
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    g = jnp.zeros((), rewards.dtype)
    out = []
    for t in reversed(range(len(rewards))):
        g = rewards[t] + gamma * (1 - dones[t].astype(rewards.dtype)) * g
        out.append(g)
    out.reverse()
    return out
