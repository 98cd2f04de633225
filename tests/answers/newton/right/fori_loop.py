# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(i, c):
        x, k = c
        more = jnp.abs(x * x - a) >= 1e-6 * a
        return jnp.where(more, 0.5 * (x + a / x), x), k + jnp.where(more, 1, 0)

    return lax.fori_loop(0, 30, body, (a, 0))
