# %% segment_softmax
from jax.ops import segment_max, segment_sum
import jax.numpy as np

def spread(per_segment, ids):
    return per_segment.at[ids].get()

def segment_softmax(scores, seg, *, num_segments):
    e = np.exp(scores - spread(segment_max(scores, seg, num_segments=num_segments), seg))
    return e / spread(segment_sum(e, seg, num_segments=num_segments), seg)
