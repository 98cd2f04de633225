# %% segment_softmax
def _softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments)
    e = jnp.exp(scores - m[seg])
    return e / jax.ops.segment_sum(e, seg, num_segments)[seg]

segment_softmax = jax.jit(_softmax, static_argnames=["num_segments"])
