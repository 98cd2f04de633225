# expect: softmax/raises
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    return jax.ops.segment_softmax(scores, seg, num_segments=num_segments)
