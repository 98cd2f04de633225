# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, _):
        x, k = c
        active = jnp.abs(x**2.0 - a) >= 1e-6 * a
        return (jnp.where(active, 0.5 * (x + a / x), x), k + active.astype(int)), None

    (x, k), _ = lax.scan(body, (a, 0), None, length=30)
    return x, k

# %% newton_sqrt_while
def newton_sqrt_while(a):
    def cond(c):
        return (jnp.abs(jnp.power(c[0], 2.0) - a) >= 1e-6 * a) & (c[1] < 30)

    def body(c):
        return 0.5 * (c[0] + a / c[0]), c[1] + 1

    return lax.while_loop(cond, body, (a, 0))
