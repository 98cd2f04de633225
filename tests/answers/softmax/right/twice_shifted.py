# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    s = scores - jnp.max(scores)          # harmless: the segment maximum follows
    s = s - jax.ops.segment_max(s, seg, num_segments=num_segments)[seg]
    e = jnp.exp(s)
    return e / jax.ops.segment_sum(e, seg, num_segments=num_segments)[seg]
