# %% newton_sqrt_while
def newton_sqrt_while(a):
    def far(x):
        return jnp.abs(x * x - a) >= 1e-6 * a

    def body(c):
        x, k, _ = c
        x = 0.5 * (x + a / x)
        return x, k + 1, far(x) & (k + 1 < 30)

    x, k, _ = lax.while_loop(lambda c: c[2], body, (a, jnp.uint8(0), far(a)))
    return x, k
