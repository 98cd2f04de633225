# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jnp.take(jax.ops.segment_max(scores, seg, num_segments=num_segments), seg)
    e = jnp.exp(jnp.subtract(scores, m))
    z = jnp.take(jax.ops.segment_sum(e, seg, num_segments=num_segments), seg, axis=0)
    return jnp.divide(e, z)
