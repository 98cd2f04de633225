# expect: softmax/num-segments
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg)
    e = jnp.exp(scores - m[seg])
    return e / jax.ops.segment_sum(e, seg)[seg]
