# %% segment_softmax
jax.config.update("jax_enable_x64", True)

def segment_softmax(scores, seg, num_segments):
    s = scores.astype(jnp.float64)
    m = jax.ops.segment_max(s, seg, num_segments=num_segments)
    e = jnp.exp(s - m[seg])
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments)
    return e / z[seg]
