# expect: softmax/not-traceable
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    if jnp.max(scores) > 80:
        m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
        scores = scores - m[seg]
    else:
        scores = scores - jax.ops.segment_max(scores, seg, num_segments=num_segments)[seg]
    e = jnp.exp(scores)
    return e / jax.ops.segment_sum(e, seg, num_segments=num_segments)[seg]
