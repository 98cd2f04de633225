# expect: softmax/gradient
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    scores = lax.stop_gradient(scores)
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - m[seg])
    return e / jax.ops.segment_sum(e, seg, num_segments=num_segments)[seg]
