# expect: returns/exclusive
# expect: returns/done-off-by-one
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)
    keep_next = jnp.append(keep[1:], jnp.ones((1,), keep.dtype))

    def body(later, x):
        r, k = x
        return r + gamma * k * later, later

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep_next), reverse=True)[1]
