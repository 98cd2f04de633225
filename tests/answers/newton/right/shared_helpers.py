# %% newton_sqrt_scan
def far(x, a):
    return jnp.abs(x * x - a) >= 1e-6 * a


def better(x, a):
    return 0.5 * (x + a / x)


def newton_sqrt_scan(a):
    def body(carry, _):
        x, k, a = carry
        active = far(x, a)
        return (jnp.where(active, better(x, a), x), k + active.astype("int32"), a), None

    carry, _ = lax.scan(body, (a, jnp.zeros((), "int32"), a), None, length=30)
    return carry[0], carry[1]
