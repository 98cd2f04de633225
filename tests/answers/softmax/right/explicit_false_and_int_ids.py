# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    seg = jnp.asarray(seg, dtype=jnp.int32)
    kwargs = dict(num_segments=int(num_segments), indices_are_sorted=False, unique_indices=False)
    m = jax.ops.segment_max(scores, seg, **kwargs)
    e = jnp.exp(scores - m[seg])
    z = jax.ops.segment_sum(e, seg, **kwargs)
    print("sums:", z)
    return e / z[seg]
