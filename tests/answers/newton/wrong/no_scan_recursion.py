# expect: newton/no-scan
# %% newton_sqrt_scan
def newton_sqrt_scan(a, x=None, k=0, left=30):
    x = a if x is None else x
    if left == 0:
        return x, k
    active = jnp.abs(x * x - a) >= 1e-6 * a
    x = jnp.where(active, 0.5 * (x + a / x), x)
    return newton_sqrt_scan(a, x, k + active.astype(jnp.int32), left - 1)
