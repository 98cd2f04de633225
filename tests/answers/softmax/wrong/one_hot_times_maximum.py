# expect: softmax/empty-segment
# expect: softmax/dense
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    onehot = jax.nn.one_hot(seg, num_segments)
    m = jax.ops.segment_max(scores, seg, num_segments=num_segments)
    e = jnp.exp(scores - onehot @ m)          # -inf * 0 once a segment is empty
    z = onehot.T @ e
    return e / (onehot @ z)
