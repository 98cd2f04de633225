# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    frozen = lax.stop_gradient(scores)
    e = lax.exp(scores - jax.ops.segment_max(frozen, seg, num_segments)[seg])
    return lax.div(e, jax.ops.segment_sum(e, seg, num_segments)[seg])
