# expect: returns/gradient
# %% discounted_returns
@jax.custom_vjp
def step(r, keep, gamma, later):
    return r + gamma * keep * later


def fwd(r, keep, gamma, later):
    return step(r, keep, gamma, later), (keep, gamma)


def bwd(res, ct):
    keep, gamma = res
    return ct, jnp.zeros_like(keep), jnp.zeros_like(gamma), ct * gamma * keep


step.defvjp(fwd, bwd)


def discounted_returns(rewards, dones, gamma):
    gamma = jnp.asarray(gamma, rewards.dtype)
    keep = 1 - dones.astype(rewards.dtype)

    def body(later, x):
        now = step(x[0], x[1], gamma, later)
        return now, now

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]
