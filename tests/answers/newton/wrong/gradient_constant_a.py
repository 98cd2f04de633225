# expect: newton/gradient
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    b = lax.stop_gradient(a)

    def body(c, _):
        x, k = c
        active = jnp.abs(x * x - b) >= 1e-6 * b
        return (jnp.where(active, 0.5 * (x + b / x), x), k + active.astype(jnp.int32)), None

    (x, k), _ = lax.scan(body, (b, jnp.int32(0)), None, length=30)
    return x, k
