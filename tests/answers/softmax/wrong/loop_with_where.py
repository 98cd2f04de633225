# expect: softmax/python-loop
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    out = jnp.zeros_like(scores)
    for k in range(num_segments):
        mask = seg == k
        m = jnp.max(jnp.where(mask, scores, -jnp.inf))
        e = jnp.where(mask, jnp.exp(jnp.where(mask, scores - m, 0.0)), 0.0)
        out = out + jnp.where(mask, e / jnp.where(mask, jnp.sum(e), 1.0), 0.0)
    return out
