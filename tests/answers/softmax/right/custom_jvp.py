# %% segment_softmax
import functools

@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _softmax(scores, seg, k):
    m = jax.ops.segment_max(scores, seg, num_segments=k)
    e = jnp.exp(scores - m[seg])
    return e / jax.ops.segment_sum(e, seg, num_segments=k)[seg]

@_softmax.defjvp
def _softmax_jvp(k, primals, tangents):
    scores, seg = primals
    ds, _ = tangents
    p = _softmax(scores, seg, k)
    mean = jax.ops.segment_sum(p * ds, seg, num_segments=k)
    return p, p * (ds - mean[seg])

def segment_softmax(scores, seg, num_segments):
    return _softmax(scores, seg, num_segments)
