# expect: softmax/assumes-unique
# %% segment_softmax
def segment_softmax(scores, seg, num_segments):
    def per_score(op, values, **promises):
        return op(values, seg, num_segments=num_segments, **promises)[seg]

    shifted = scores - per_score(jax.ops.segment_max, scores, unique_indices=True)
    return jnp.exp(shifted) / per_score(jax.ops.segment_sum, jnp.exp(shifted))
