# expect: newton/sqrt-shortcut
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    return a * lax.rsqrt(a), jnp.int32(5)
