# expect: newton/no-while
# %% newton_sqrt_while
def newton_sqrt_while(a):
    def body(i, c):
        x, k = c
        go = jnp.abs(x * x - a) >= 1e-6 * a
        return jnp.where(go, 0.5 * (x + a / x), x), jnp.where(go, k + 1, k)

    return lax.fori_loop(0, 30, body, (a, 0))
