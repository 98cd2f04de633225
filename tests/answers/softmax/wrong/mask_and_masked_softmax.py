# expect: softmax/dense
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    mask = seg[None, :] == jnp.arange(num_segments)[:, None]
    table = jax.nn.softmax(jnp.broadcast_to(scores, mask.shape), axis=1, where=mask)
    return table.sum(axis=0)
