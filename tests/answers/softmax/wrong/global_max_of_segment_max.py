# expect: softmax/global-max
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - m.max())
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments)
    return e / z[seg]
