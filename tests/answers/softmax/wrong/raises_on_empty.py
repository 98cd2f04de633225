# expect: softmax/empty-segment
# expect: softmax/python-loop
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    out = jnp.zeros(scores.shape)
    for k in range(num_segments):
        own = scores[seg == k]
        e = jnp.exp(own - own.max())
        out = out.at[seg == k].set(e / e.sum())
    return out
