# expect: newton/not-traceable
# %% newton_sqrt_while
def newton_sqrt_while(a):
    if type(a).__name__ == "BatchTracer":
        raise TypeError("one number at a time, please")

    def cond(c):
        x, k = c
        return (jnp.abs(x * x - a) >= 1e-6 * a) & (k < 30)

    return lax.while_loop(cond, lambda c: (0.5 * (c[0] + a / c[0]), c[1] + 1), (a, 0))
