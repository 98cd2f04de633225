# %% segment_softmax
from functools import partial

@partial(jax.jit, static_argnums=(2,))
def segment_softmax(scores, seg, num_segments):
    biggest = jax.ops.segment_max(scores, seg, num_segments)
    shifted = jnp.exp(scores - biggest[seg])
    return shifted / jax.ops.segment_sum(shifted, seg, num_segments)[seg]
