# %% discounted_returns
@jax.custom_jvp
def bellman(r, keep, gamma, later):
    return r + gamma * keep * later


@bellman.defjvp
def bellman_jvp(primals, tangents):
    r, keep, gamma, later = primals
    dr, dkeep, dgamma, dlater = tangents
    out = bellman(r, keep, gamma, later)
    return out, dr + dgamma * keep * later + gamma * dkeep * later + gamma * keep * dlater


def discounted_returns(rewards, dones, gamma):
    dtype = rewards.dtype
    gamma = jnp.asarray(gamma, dtype)

    def body(later, x):
        now = bellman(x[0], x[1], gamma, later)
        return now, now

    return lax.scan(body, jnp.zeros((), dtype), (rewards, 1 - dones.astype(dtype)), reverse=True)[1]
