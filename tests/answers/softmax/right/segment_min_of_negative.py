# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    lowest = jax.ops.segment_min(-scores, seg, num_segments=num_segments)
    e = jnp.exp(scores + lowest[seg])
    return e / jax.ops.segment_sum(e, seg, num_segments=num_segments)[seg]
