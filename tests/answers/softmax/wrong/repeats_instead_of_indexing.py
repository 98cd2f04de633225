# expect: softmax/assumes-sorted
# expect: softmax/other-ops
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    n = len(scores)
    counts = jax.ops.segment_sum(jnp.ones_like(seg), seg, num_segments=num_segments)
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - jnp.repeat(m, counts, total_repeat_length=n))
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments)
    return e / jnp.repeat(z, counts, total_repeat_length=n)
