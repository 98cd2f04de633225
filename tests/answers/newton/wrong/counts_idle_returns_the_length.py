# expect: newton/counts-idle-steps
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(x, k):
        active = jnp.abs(x * x - a) >= 1e-6 * a
        return jnp.where(active, 0.5 * (x + a / x), x), k + 1

    x, ks = lax.scan(body, a, jnp.arange(30))
    return x, ks[-1]
