# expect: softmax/not-traceable
# %% segment_softmax
import numpy as np

def segment_softmax(scores, seg, num_segments):
    scores, seg = np.asarray(scores), np.asarray(seg)
    m = np.full(num_segments, -np.inf)
    np.maximum.at(m, seg, scores)
    e = np.exp(scores - m[seg])
    z = np.bincount(seg, weights=e, minlength=num_segments)
    return jnp.asarray(e / z[seg])
