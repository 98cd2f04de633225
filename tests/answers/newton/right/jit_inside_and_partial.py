# %% newton_sqrt_scan
from functools import partial


@partial(jax.jit, static_argnames=("steps",))
def newton_sqrt_scan(a, steps=30, tol=1e-6):
    def body(a, c, _):
        x, k = c
        active = jnp.abs(x * x - a) >= tol * a
        return (jnp.where(active, 0.5 * (x + a / x), x), k + active.astype(jnp.int32)), None

    (x, k), _ = lax.scan(partial(body, a), (a, jnp.int32(0)), None, length=steps)
    return x, k

# %% newton_sqrt_while
@jax.jit
def newton_sqrt_while(a):
    @jax.jit
    def step(c):
        x, k = c
        return 0.5 * (x + a / x), k + 1

    def test(c):
        x, k = c
        return (jnp.abs(x * x - a) >= 1e-6 * a) & (k < 30)

    return jax.lax.while_loop(test, step, (a, jnp.int32(0)))
