# %% segment_softmax
class Segments:
    def __init__(self, seg, k):
        self.seg, self.k = seg, k

    def max(self, x):
        return jax.ops.segment_max(x, self.seg, num_segments=self.k)[self.seg]

    def sum(self, x):
        return jax.ops.segment_sum(x, self.seg, num_segments=self.k)[self.seg]

normalise = lambda e, segments: e / segments.sum(e)
segment_softmax = lambda scores, seg, num_segments: normalise(
    jnp.exp(scores - Segments(seg, num_segments).max(scores)), Segments(seg, num_segments))
