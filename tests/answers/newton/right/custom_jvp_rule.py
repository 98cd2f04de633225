# %% newton_sqrt_scan
@jax.custom_jvp
def root_and_count(a):
    def body(c, _):
        x, k = c
        active = jnp.abs(x * x - a) >= 1e-6 * a
        return (jnp.where(active, 0.5 * (x + a / x), x), k + active.astype(jnp.int32)), None

    (x, k), _ = lax.scan(body, (a, jnp.int32(0)), None, length=30)
    return x, k


@root_and_count.defjvp
def _(primals, tangents):
    import numpy as np

    x, k = root_and_count(*primals)
    return (x, k), (tangents[0] / (2 * x), np.zeros((), jax.dtypes.float0))


def newton_sqrt_scan(a):
    return root_and_count(a)
