# expect: newton/not-differentiable
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    return lax.while_loop(
        lambda c: (jnp.abs(c[0] * c[0] - a) >= 1e-6 * a) & (c[1] < 30),
        lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1),
        (a, 0),
    )
