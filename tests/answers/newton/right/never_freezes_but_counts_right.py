# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    """More Newton steps do a converged x no harm; the count is what has to stop."""

    def body(c, _):
        x, k, going = c
        going = going & (jnp.abs(x * x - a) >= 1e-6 * a)
        return (jnp.where(going, 0.5 * (x + a / x), x), k + going.astype(jnp.int16), going), None

    (x, k, _), _ = lax.scan(body, (a, jnp.int16(0), True), None, length=30)
    return x, k
