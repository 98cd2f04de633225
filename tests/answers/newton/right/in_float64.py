# %% newton_sqrt_scan
jax.config.update("jax_enable_x64", True)


def newton_sqrt_scan(a):
    a = jnp.asarray(a, jnp.float64)

    def body(c, _):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        return (jnp.where(active, 0.5 * (x + a / x), x), k + active.astype(jnp.int64)), None

    (x, k), _ = lax.scan(body, (a, jnp.int64(0)), None, length=30)
    return x, k

# %% newton_sqrt_while
jax.config.update("jax_enable_x64", True)


def newton_sqrt_while(a):
    a = jnp.asarray(a, jnp.float64)

    def cond(c):
        x, k = c
        return (jnp.abs(x * x - a) >= 1e-6 * a) & (k < 30)

    return lax.while_loop(cond, lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1), (a, 0))
