# expect: newton/sqrt-shortcut
# %% newton_sqrt_while
def newton_sqrt_while(a):
    def cond(c):
        x, k = c
        return (jnp.abs(x - jnp.sqrt(a)) >= 1e-6 * jnp.sqrt(a)) & (k < 30)

    def body(c):
        x, k = c
        return 0.5 * (x + a / x), k + 1

    return lax.while_loop(cond, body, (a, 0))
