# expect: newton/not-traceable
# %% newton_sqrt_scan
def newton_sqrt_scan(a):
    x, k = a, 0
    while abs(x * x - a) >= 1e-6 * a and k < 30:
        x = 0.5 * (x + a / x)
        k += 1
    return x, k
