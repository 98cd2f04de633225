# %% segment_softmax
def segment_softmax(scores: jax.Array, seg: jax.Array, num_segments: int) -> jax.Array:
    """Softmax in each segment."""
    m = jax.lax.stop_gradient(jax.ops.segment_max(scores, seg, num_segments=num_segments))
    unnormalised = jnp.exp(scores - m[seg])
    norm = jax.ops.segment_sum(unnormalised, seg, num_segments=num_segments)
    return unnormalised / norm[seg]
