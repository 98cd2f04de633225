# expect: softmax/assumes-sorted
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - m.at[seg].get(indices_are_sorted=True))
    z = jax.ops.segment_sum(e, seg, num_segments=num_segments)
    return e / z.at[seg].get(indices_are_sorted=True)
