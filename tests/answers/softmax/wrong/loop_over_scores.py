# expect: softmax/python-loop
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jnp.full(num_segments, -jnp.inf)
    for i in range(len(scores)):
        m = m.at[seg[i]].max(scores[i])
    e = jnp.exp(scores - m[seg])
    return e / jax.ops.segment_sum(e, seg, num_segments=num_segments)[seg]
