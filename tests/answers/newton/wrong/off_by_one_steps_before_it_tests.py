# expect: newton/count-off-by-one
# %% newton_sqrt_while
def newton_sqrt_while(a):
    def body(c):
        x, k = c
        return 0.5 * (x + a / x), k + 1

    def cond(c):
        x, k = c
        return (jnp.abs(x * x - a) >= 1e-6 * a) & (k < 30)

    return lax.while_loop(cond, body, body((a, 0)))
