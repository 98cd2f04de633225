# expect: newton/no-scan
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def step(c):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        return jnp.where(active, 0.5 * (x + a / x), x), k + active.astype(jnp.int32)

    c = (a, jnp.int32(0))
    for _ in range(30):
        c = step(c)
    c, _ = lax.scan(lambda c, _: (c, None), c, None, length=30)
    return c
