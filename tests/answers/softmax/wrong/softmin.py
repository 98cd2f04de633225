# expect: softmax/wrong-value
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(-scores, seg, num_segments=num_segments)
    e = jnp.exp(-scores - m[seg])
    return e / jax.ops.segment_sum(e, seg, num_segments=num_segments)[seg]
