# %% newton_sqrt_while
def newton_sqrt_while(a):
    """Carries how many steps are left."""

    def cond(c):
        x, left = c
        return (left > 0) & (jnp.abs(x * x - a) >= 1e-6 * a)

    def body(c):
        x, left = c
        return 0.5 * (x + a / x), left - 1

    x, left = lax.while_loop(cond, body, (a, 30))
    return x, 30 - left
