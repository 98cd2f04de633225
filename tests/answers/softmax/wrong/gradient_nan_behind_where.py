# expect: softmax/gradient
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - m[seg])
    safe = e / jax.ops.segment_sum(e, seg, num_segments=num_segments)[seg]
    raw = jnp.exp(scores)
    naive = raw / jax.ops.segment_sum(raw, seg, num_segments=num_segments)[seg]
    return jnp.where(jnp.isfinite(naive) & (jnp.abs(scores) < 50), naive, safe)
