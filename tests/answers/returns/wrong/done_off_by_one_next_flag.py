# expect: returns/done-off-by-one
# %% discounted_returns
def discounted_returns(rewards, dones, gamma):
    d = jnp.asarray(dones, rewards.dtype)
    next_done = jnp.concatenate([d[1:], jnp.zeros((1,), d.dtype)])

    def body(later, x):
        r, nd = x
        now = r + gamma * (1 - nd) * later
        return now, now

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, next_done), reverse=True)[1]
