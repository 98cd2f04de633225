# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    # (N, 1) columns, as for several attention heads
    s = scores[:, None]
    m = jax.ops.segment_max(s, seg, num_segments=num_segments)
    e = jnp.exp(s - m[seg])
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments)
    return (e / z[seg])[:, 0]
