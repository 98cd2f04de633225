# %% piecewise
def piecewise(x: jax.Array) -> jax.Array:
    """First condition that is true."""
    conditions = jnp.stack([x < 0, x < jnp.pi, jnp.ones_like(x, bool)])
    return lax.switch(jnp.argmax(conditions), [jnp.square, jnp.sin, lambda v: v - jnp.pi], x)
# %% piecewise_select
def piecewise_select(x: jax.Array) -> jax.Array:
    which = jnp.where(x < 0, 0, jnp.where(x < jnp.pi, 1, 2))
    return lax.select_n(which, x ** 2, jnp.sin(x), x - jnp.pi)
