# expect: newton/shape
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, _):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        c = (jnp.where(active, 0.5 * (x + a / x), x), k + active.astype(jnp.int32))
        return c, c

    _, (xs, ks) = lax.scan(body, (a, jnp.int32(0)), None, length=30)
    return xs, ks
