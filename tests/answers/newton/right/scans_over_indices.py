# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, i):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        x = lax.select(active, 0.5 * (x + a / x), x)
        return (x, lax.select(active, i + 1, k)), x

    start = (jnp.asarray(a), jnp.array(0))
    (x, k), path = lax.scan(body, start, jnp.arange(30), unroll=3)
    return x, k
