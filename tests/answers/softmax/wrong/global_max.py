# expect: softmax/global-max
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    e = jnp.exp(scores - scores.max())
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments)
    return e / z[seg]
