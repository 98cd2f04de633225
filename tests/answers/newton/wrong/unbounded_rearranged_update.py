# expect: newton/unbounded
# expect: newton/early-stop
# %% newton_sqrt_while
def newton_sqrt_while(a):
    def cond(c):
        x, k = c
        return jnp.abs(x * x - a) >= 1e-6 * a

    def body(c):
        x, k = c
        return x - (x * x - a) / (2 * x), k + 1

    return lax.while_loop(cond, body, (a, 0))
