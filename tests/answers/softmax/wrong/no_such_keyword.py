# expect: softmax/num-segments
# %% segment_softmax
def segment_softmax(scores, seg, K):
    m = jax.ops.segment_max(scores, seg, num_segments=K)
    e = jnp.exp(scores - m[seg])
    return e / jax.ops.segment_sum(e, seg, num_segments=K)[seg]
