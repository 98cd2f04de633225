# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - m[seg])
    z = jnp.bincount(seg, weights=e, length=num_segments)
    return e / z[seg]
