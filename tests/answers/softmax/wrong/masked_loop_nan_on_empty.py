# expect: softmax/empty-segment
# expect: softmax/python-loop
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    out = jnp.zeros_like(scores)
    for k in range(num_segments):
        mask = seg == k
        m = jnp.max(jnp.where(mask, scores, -jnp.inf))
        e = jnp.exp(jnp.where(mask, scores, -jnp.inf) - m)
        out = out + e / e.sum()
    return out
