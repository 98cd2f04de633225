# expect: softmax/assumes-sorted
# expect: softmax/other-ops
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    seg = jnp.sort(seg)
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - m[seg])
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments)
    return e / z[seg]
