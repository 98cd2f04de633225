# expect: softmax/num-segments
# %% segment_softmax
@jax.jit
def segment_softmax(scores, seg, num_segments):
    m = jnp.full(num_segments, -jnp.inf).at[seg].max(scores)
    e = jnp.exp(scores - m[seg])
    return e / jnp.zeros(num_segments).at[seg].add(e)[seg]
