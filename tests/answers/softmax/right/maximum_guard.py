# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jnp.maximum(jax.ops.segment_max(scores, seg, num_segments=num_segments), -1e30)
    e = jnp.exp(scores - m[seg])
    z = jnp.maximum(jax.ops.segment_sum(e, seg, num_segments=num_segments), 1e-12)
    return e * (1.0 / z)[seg]
