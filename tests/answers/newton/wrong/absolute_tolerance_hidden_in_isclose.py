# expect: newton/absolute-tolerance
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, _):
        x, k = c
        active = ~jnp.isclose(x * x, a, rtol=1e-6)
        x_new = jnp.where(active, 0.5 * (x + a / x), x)
        return (x_new, k + active.astype(jnp.int32)), None

    (x, k), _ = lax.scan(body, (a, jnp.int32(0)), None, length=30)
    return x, k
