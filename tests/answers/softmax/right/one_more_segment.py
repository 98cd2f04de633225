# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    k = num_segments + 1      # room for a dummy segment
    m = jax.ops.segment_max(scores, seg, num_segments=k)
    e = jnp.exp(scores - m[seg])
    z = jax.ops.segment_sum(e, seg, num_segments=k)
    return e / z[seg]
