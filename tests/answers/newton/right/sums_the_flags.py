# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    """The count is how many of the 30 steps were active."""

    def body(x, _):
        active = jnp.abs(x * x - a) >= 1e-6 * a
        return jnp.where(active, 0.5 * (x + a / x), x), active

    x, active = lax.scan(body, a, None, length=30)
    return x, jnp.sum(active)
