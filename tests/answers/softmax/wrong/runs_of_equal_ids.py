# expect: softmax/assumes-sorted
# expect: softmax/other-ops
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    # a new segment starts wherever the id changes
    starts = jnp.concatenate([jnp.zeros(1, bool), seg[1:] != seg[:-1]])
    run = jnp.cumsum(starts)
    n = scores.shape[0]
    m = jax.ops.segment_max(scores, run, num_segments=n)
    e = jnp.exp(scores - m[run])
    return e / jax.ops.segment_sum(e, run, num_segments=n)[run]
