# expect: newton/not-differentiable
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, _):
        x, k = c
        limit = k + 1

        def go_on(c):
            return (jnp.abs(c[0] * c[0] - a) >= 1e-6 * a) & (c[1] < limit)

        c = lax.while_loop(go_on, lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1), (x, k))
        return c, None

    (x, k), _ = lax.scan(body, (a, 0), None, length=30)
    return x, k
