# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    @jax.checkpoint
    def body(c, _):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        return (jnp.where(active, 0.5 * (x + a / x), x), k + active.astype(jnp.int32)), None

    (x, k), _ = lax.scan(body, (a, jnp.int32(0)), None, length=30)
    return x, k
