# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def close(x):
        return jnp.abs(x * x - a) < 1e-6 * a

    def body(c, _):
        x, k, done = c
        x = jnp.where(done, x, 0.5 * (x + a / x))
        k = jnp.where(done, k, k + 1)
        return (x, k, done | close(x)), None

    (x, k, _), _ = lax.scan(body, (a, jnp.int32(0), close(a)), None, length=30)
    return x, k
