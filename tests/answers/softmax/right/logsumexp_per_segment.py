# %% segment_softmax
def segment_logsumexp(x, ids, k):
    m = jax.ops.segment_max(x, ids, num_segments=k)
    return m + jnp.log(jax.ops.segment_sum(jnp.exp(x - m[ids]), ids, num_segments=k))

def segment_softmax(scores, seg, num_segments):
    return jnp.exp(scores - segment_logsumexp(scores, seg, num_segments)[seg])
