# expect: piecewise/gradient
# %% piecewise
@jax.custom_jvp
def piecewise(x):
    i = jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))
    return lax.switch(i, [lambda v: v ** 2, jnp.sin, lambda v: v - jnp.pi], x)

@piecewise.defjvp
def _rule(primals, tangents):
    (x,), (dx,) = primals, tangents
    i = jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))
    return piecewise(x), dx * lax.switch(i, [lambda v: v, jnp.cos, jnp.ones_like], x)
