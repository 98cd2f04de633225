# expect: returns/no-discount
# %% discounted_returns
def step(later, x, gamma=1.0):
    reward, keep = x
    now = reward + gamma * keep * later
    return now, now


def discounted_returns(rewards, dones, gamma):
    keep = jnp.where(dones, 0, 1).astype(rewards.dtype)
    return lax.scan(step, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
