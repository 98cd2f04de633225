# expect: returns/python-loop
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    if len(rewards) == 1:
        return rewards
    rest = discounted_returns(rewards[1:], dones[1:], gamma)
    keep = 1 - dones[:1].astype(rewards.dtype)
    return jnp.concatenate([rewards[:1] + gamma * keep * rest[:1], rest])
