# expect: newton/not-differentiable
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    def body(i, c):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        return jnp.where(active, 0.5 * (x + a / x), x), k + active.astype(jnp.int32)

    steps = jnp.where(a > 0, 30, 30)
    return lax.fori_loop(0, steps, body, (a, jnp.int32(0)))
