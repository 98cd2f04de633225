# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    # exp(log softmax), the log-sum-exp per segment
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    d = scores - m[seg]
    logz = jnp.log(jax.ops.segment_sum(jnp.exp(d), seg, num_segments=num_segments))
    return jnp.exp(d - logz[seg])
