# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    m = jnp.full((num_segments,), -jnp.inf, scores.dtype).at[seg].max(scores)
    e = jnp.exp(scores - m[seg])
    z = jnp.zeros((num_segments,), scores.dtype).at[seg].add(e)
    return e / z[seg]
