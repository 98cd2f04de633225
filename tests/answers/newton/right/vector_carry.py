# %% newton_sqrt_while
def newton_sqrt_while(a):
    def cond(v):
        return (jnp.abs(v[0] * v[0] - a) >= 1e-6 * a) & (v[1] < 30)

    def body(v):
        return jnp.stack([0.5 * (v[0] + a / v[0]), v[1] + 1])

    v = lax.while_loop(cond, body, jnp.stack([a, jnp.zeros_like(a)]))
    return v[0], v[1].astype(jnp.int32)
