# expect: newton/counts-idle-steps
# expect: newton/float-count
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, _):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        x_new = 0.5 * (x + a / x)
        return (x_new, k + 1.0), None

    (x, k), _ = lax.scan(body, (a, 0.0), None, length=30)
    return x, k
