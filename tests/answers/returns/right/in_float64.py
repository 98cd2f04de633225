# %% discounted_returns
import jax
jax.config.update("jax_enable_x64", True)


def discounted_returns(rewards, dones, gamma):
    r = rewards.astype(jnp.float64)
    keep = 1.0 - dones.astype(jnp.float64)

    def body(g, x):
        g = x[0] + gamma * x[1] * g
        return g, g

    _, g = lax.scan(body, jnp.float64(0.0), (r, keep), reverse=True)
    return g.astype(rewards.dtype)
