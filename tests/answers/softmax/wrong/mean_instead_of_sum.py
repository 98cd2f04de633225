# expect: softmax/wrong-value
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - m[seg])
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments)
    n = jax.ops.segment_sum(jnp.ones_like(e), seg, num_segments=num_segments)
    return e / (z / n)[seg]
