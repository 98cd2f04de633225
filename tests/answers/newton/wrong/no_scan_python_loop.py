# expect: newton/no-scan
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    x, k = a, jnp.int32(0)
    for _ in range(30):
        active = jnp.abs(x * x - a) >= 1e-6 * a
        x = jnp.where(active, 0.5 * (x + a / x), x)
        k = k + active.astype(jnp.int32)
    return x, k
