# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def newton(c):
        x, k = c
        return 0.5 * (x + a / x), k + 1

    def body(c, _):
        x, k = c
        c = lax.cond(jnp.abs(x * x - a) >= 1e-6 * a, newton, lambda c: c, c)
        return c, None

    c, _ = lax.scan(body, (a, jnp.int32(0)), None, length=30)
    return c
