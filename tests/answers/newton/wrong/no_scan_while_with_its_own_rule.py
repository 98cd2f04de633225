# expect: newton/no-scan
# %% newton_sqrt_scan
@jax.custom_vjp
def newton_sqrt_scan(a):
    return lax.while_loop(
        lambda c: (jnp.abs(c[0] * c[0] - a) >= 1e-6 * a) & (c[1] < 30),
        lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1),
        (a, 0),
    )


def forward(a):
    x, k = newton_sqrt_scan(a)
    return (x, k), x


newton_sqrt_scan.defvjp(forward, lambda x, g: (g[0] / (2 * x),))
