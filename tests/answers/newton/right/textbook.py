# %% newton_sqrt_scan
def newton_sqrt_scan(a, max_iter=30):
    def body(c, _):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        x_new = jnp.where(active, 0.5 * (x + a / x), x)
        return (x_new, k + active.astype(jnp.int32)), None

    (x, k), _ = lax.scan(body, (a, jnp.int32(0)), None, length=max_iter)
    return x, k

# %% newton_sqrt_while
def newton_sqrt_while(a):
    def cond(c):
        x, k = c
        return (jnp.abs(x * x - a) >= 1e-6 * a) & (k < 30)

    return lax.while_loop(cond, lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1), (a, 0))
