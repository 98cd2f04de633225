# expect: softmax/num-segments
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    k = scores.shape[0]
    m = jax.ops.segment_max(scores, seg, num_segments=k)
    e = jnp.exp(scores - m[seg])
    return e / jax.ops.segment_sum(e, seg, num_segments=k)[seg]
