# expect: softmax/other-ops
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    order = jnp.lexsort((scores, seg))
    s, ids = scores[order], seg[order]
    m = jax.ops.segment_max(s, ids, num_segments)
    e = jnp.exp(s - m[ids])
    total = jax.ops.segment_sum(e, ids, num_segments)
    return jnp.zeros_like(scores).at[order].set(e / total[ids])
