# expect: softmax/shape
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    highest = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    weights = jnp.exp(scores - highest[seg])
    totals = jax.ops.segment_sum(weights, seg, num_segments=num_segments)
    return (weights / totals[seg]).reshape(-1, 1)
