# expect: newton/no-while
# %% newton_sqrt_while
def newton_sqrt_while(a):
    x, k = a, 0
    for _ in range(30):
        go = (jnp.abs(x * x - a) >= 1e-6 * a) & (k < 30)
        x, k = jnp.where(go, 0.5 * (x + a / x), x), jnp.where(go, k + 1, k)
    return x, k
