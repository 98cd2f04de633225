# expect: newton/count-off-by-one
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(x, i):
        active = jnp.abs(x * x - a) >= 1e-6 * a
        return jnp.where(active, 0.5 * (x + a / x), x), jnp.where(active, i, 0)

    x, steps = lax.scan(body, a, jnp.arange(30))
    return x, jnp.max(steps)
