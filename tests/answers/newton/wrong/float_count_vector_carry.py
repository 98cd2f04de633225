# expect: newton/float-count
# %% newton_sqrt_while
def newton_sqrt_while(a):
    def cond(v):
        return (jnp.abs(v[0] * v[0] - a) >= 1e-6 * a) & (v[1] < 30)

    v = lax.while_loop(
        cond, lambda v: jnp.array([0.5 * (v[0] + a / v[0]), v[1] + 1]), jnp.array([a, 0.0])
    )
    return v[0], v[1]
