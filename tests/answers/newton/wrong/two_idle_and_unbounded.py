# expect: newton/counts-idle-steps
# expect: newton/unbounded
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, _):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        x_new = jnp.where(active, 0.5 * (x + a / x), x)
        return (x_new, k + 1), None

    (x, k), _ = lax.scan(body, (a, jnp.int32(0)), None, length=30)
    return x, k

# %% newton_sqrt_while
def newton_sqrt_while(a):
    def cond(c):
        x, k = c
        return jnp.abs(x * x - a) >= 1e-6 * a

    def body(c):
        x, k = c
        return 0.5 * (x + a / x), k + 1

    return lax.while_loop(cond, body, (a, 0))
