# expect: returns/not-traceable
# expect: returns/dtype
# %% discounted_returns
import numpy as np


def discounted_returns(rewards, dones, gamma):
    rewards, dones = np.asarray(rewards), np.asarray(dones)
    G = np.zeros(len(rewards))
    later = 0.0
    for t in reversed(range(len(rewards))):
        later = rewards[t] + gamma * (1 - dones[t]) * later
        G[t] = later
    return G
