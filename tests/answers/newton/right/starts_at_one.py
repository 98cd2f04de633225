# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(c, _):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        return (jnp.where(active, 0.5 * (x + a / x), x), k + active), None

    return lax.scan(body, (jnp.ones_like(a), jnp.int32(0)), None, length=30)[0]

# %% newton_sqrt_while
def newton_sqrt_while(a):
    return lax.while_loop(
        lambda c: (jnp.abs(c[0] * c[0] - a) >= 1e-6 * a) & (c[1] < 30),
        lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1),
        (jnp.ones_like(a), 0),
    )
