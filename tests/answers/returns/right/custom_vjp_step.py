# %% discounted_returns
@jax.custom_vjp
def step(r, factor, later):
    return r + factor * later


step.defvjp(
    lambda r, factor, later: (r + factor * later, (factor, later)),
    lambda res, ct: (ct, ct * res[1], ct * res[0]),
)


def discounted_returns(rewards, dones, gamma):
    factors = jnp.asarray(gamma * (1 - dones), rewards.dtype)

    def body(later, x):
        now = step(x[0], x[1], later)
        return now, now

    return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, factors), reverse=True)[1]
