# expect: softmax/other-ops
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    order = jnp.argsort(seg)
    s, ids = scores[order], seg[order]
    m = jax.ops.segment_max(s, ids, num_segments=num_segments, indices_are_sorted=True)
    e = jnp.exp(s - m[ids])
    z = jax.ops.segment_sum(e, ids, num_segments=num_segments, indices_are_sorted=True)
    return (e / z[ids])[jnp.argsort(order)]
