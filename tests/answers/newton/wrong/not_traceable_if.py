# expect: newton/not-traceable
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, _):
        x, k = c
        if jnp.abs(x * x - a) >= 1e-6 * a:
            x, k = 0.5 * (x + a / x), k + 1
        return (x, k), None

    (x, k), _ = lax.scan(body, (a, 0), None, length=30)
    return x, k
