# expect: softmax/wrong-value
# expect: softmax/other-ops
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    return jnp.exp(scores - m[seg])
