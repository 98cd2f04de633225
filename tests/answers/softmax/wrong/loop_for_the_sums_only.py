# expect: softmax/python-loop
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - m[seg])
    z = jnp.stack([jnp.sum(e * (seg == k)) for k in range(num_segments)])
    return e / z[seg]
