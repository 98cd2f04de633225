# expect: newton/not-traceable
# %% newton_sqrt_while
def newton_sqrt_while(a):
    x, k = a, 0
    while jnp.abs(x * x - a) >= 1e-6 * a and k < 30:
        x, k = 0.5 * (x + a / x), k + 1
    return x, k
