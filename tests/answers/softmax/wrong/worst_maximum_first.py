# expect: softmax/empty-segment
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    base = jnp.min(m)
    e = jnp.exp((scores - base) - (m - base)[seg])
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments)
    return e / z[seg]
