# expect: newton/absolute-tolerance
# %% newton_sqrt_scan
TOL = 1e-6


def newton_sqrt_scan(a):
    def body(c, _):
        x, k = c
        active = abs(x**2 - a) > TOL
        x_new = jnp.where(active, 0.5 * (x + a / x), x)
        return (x_new, k + active.astype(jnp.int32)), None

    (x, k), _ = lax.scan(body, (a, jnp.int32(0)), None, length=30)
    return x, k

# %% newton_sqrt_while
def newton_sqrt_while(a):
    def cond(c):
        x, k = c
        return jnp.logical_and(abs(x**2 - a) > 1e-6, k < 30)

    def body(c):
        x, k = c
        return 0.5 * (x + a / x), k + 1

    return lax.while_loop(cond, body, (a, 0))
