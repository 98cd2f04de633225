# expect: newton/wrong-root
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, _):
        x, before, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        after = jnp.where(active, 0.5 * (x + a / x), x)
        return (after, jnp.where(active, x, before), k + active.astype(jnp.int32)), None

    (_, x, k), _ = lax.scan(body, (a, a, jnp.int32(0)), None, length=30)
    return x, k
