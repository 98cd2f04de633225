# expect: softmax/no-max
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    shifted = scores - m[seg]
    e = jnp.exp(scores)
    return e / jax.ops.segment_sum(e, seg, num_segments=num_segments)[seg]
