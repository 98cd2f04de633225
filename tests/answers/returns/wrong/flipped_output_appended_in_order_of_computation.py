# expect: returns/flipped-output
# expect: returns/python-loop
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    out, g = [], jnp.zeros((), rewards.dtype)
    for t in range(len(rewards) - 1, -1, -1):
        g = rewards[t] + gamma * (1 - dones[t].astype(rewards.dtype)) * g
        out.append(g)
    return jnp.stack(out)
