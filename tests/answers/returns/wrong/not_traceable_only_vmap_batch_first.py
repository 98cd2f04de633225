# expect: returns/not-traceable
# %% discounted_returns
@jax.custom_batching.custom_vmap
def scan_returns(rewards, keep, gamma):
    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    return lax.scan(body, jnp.zeros(rewards.shape[1:], rewards.dtype), (rewards, keep), reverse=True)[1]


@scan_returns.def_vmap
def _batched(size, mapped, rewards, keep, gamma):
    # the same scan takes whole batches (but it runs over the first axis)
    return scan_returns(rewards, keep, gamma), True


@jax.custom_jvp
def with_derivative(rewards, keep, gamma):
    return scan_returns(rewards, keep, gamma)


@with_derivative.defjvp
def _jvp(primals, tangents):
    def plain(rewards, keep, gamma):
        def body(g, x):
            g = x[0] + gamma * x[1] * g
            return g, g

        return lax.scan(body, jnp.zeros((), rewards.dtype), (rewards, keep), reverse=True)[1]

    return jax.jvp(plain, primals, tangents)


def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones.astype(rewards.dtype)
    return with_derivative(rewards, keep, jnp.asarray(gamma, rewards.dtype))
