# expect: newton/absolute-tolerance
# expect: newton/unbounded
# %% newton_sqrt_while
def newton_sqrt_while(a):
    def cond(c):
        x, k = c
        return jnp.abs(x * x - a) >= 1e-6

    def body(c):
        x, k = c
        return 0.5 * (x + a / x), k + 1

    return lax.while_loop(cond, body, (a, 0))
