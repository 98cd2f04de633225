# expect: softmax/assumes-sorted
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments, indices_are_sorted=True)
    e = jnp.exp(scores - m[seg])
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments, indices_are_sorted=True)
    return e / z[seg]
