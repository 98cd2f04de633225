"""What exercise 3 tells a student: for each code a headline, the reason and the next step."""

from __future__ import annotations

from graders.findings import Finding

TELL: dict[str, tuple[str, str, str]] = {
    "softmax/no-max": (
        "the maximum of each segment is not subtracted",
        "in float32 exp(89) is already inf and exp(−104) is 0, so large scores end in inf/inf and "
        "very negative ones in 0/0. With the segment's own maximum subtracted, the "
        "largest exponent in every segment is exactly 0.",
        "Compute m = jax.ops.segment_max(scores, seg, num_segments=num_segments) and take exp of "
        "scores − m[seg].",
    ),
    "softmax/global-max": (
        "one and the same number is subtracted in all segments",
        "a segment whose scores lie far below the overall maximum is left with exp of something "
        "very negative, which is 0. Its sum is 0 as well, and nothing comes of 0/0.",
        "Subtract from each score the maximum of its own segment: jax.ops.segment_max, then "
        "index with seg.",
    ),
    "softmax/global-sum": (
        "the result is normalised over all scores",
        "your result is what you get when each exponential is divided by a sum over all segments: "
        "everything together sums to 1, instead of each segment.",
        "Divide by the sum of the score's own segment: jax.ops.segment_sum, then index with seg.",
    ),
    "softmax/not-gathered": (
        "per-segment values are never brought back to the scores",
        "segment_max and segment_sum return one number per segment, shape (num_segments,), while "
        "scores has shape (N,). The two do not line up entry by entry.",
        "Index with the ids: m[seg] has shape (N,), and its entry i belongs to score i.",
    ),
    "softmax/assumes-sorted": (
        "the ids are taken to be sorted",
        "seg may come in any order: a segment's scores need not stand together. With sorted ids "
        "your function is right, in another order it is not.",
        "Let segment_max and segment_sum find the members of each segment, and index with seg; "
        "the order then never matters.",
    ),
    "softmax/python-loop": (
        "the work is done in a loop, one segment or one score at a time",
        "each pass handles one segment (or one score), so the work grows with their number; a "
        "Python loop also leaves a copy of its body in the traced program for each pass. "
        "segment_max and segment_sum handle all segments in a single operation.",
        "Replace the loop by segment_max, segment_sum and indexing with seg.",
    ),
    "softmax/dense": (
        "an array with an entry for every pair is built",
        "a mask or one-hot array with an entry for every score and every segment (or every two "
        "scores) costs that much memory and work, nearly all of it zeros. Segment operations "
        "need nothing larger than scores.",
        "Replace the mask by segment_max, segment_sum and indexing with seg.",
    ),
    "softmax/num-segments": (
        "num_segments is not passed on, or not static",
        "the shape of a per-segment array is num_segments, and JAX has to know shapes while it "
        "traces. Under jit num_segments must be static, and without it segment_sum needs the "
        "largest id, which is not known then.",
        "Write num_segments=num_segments in both segment operations; if you use jax.jit yourself, "
        "add static_argnames=\"num_segments\".",
    ),
    "softmax/empty-segment": (
        "an empty segment spoils the result",
        "your function is right while every segment has a score. For a segment without any, "
        "segment_max gives −inf and segment_sum gives 0; arithmetic on those (0 · −inf, −inf + "
        "inf, 0/0) is NaN, and a reduction over no elements raises.",
        "Index with seg before you compute further: no score belongs to an empty segment, so its "
        "−inf is never picked.",
    ),
    "softmax/gradient": (
        "the derivative is not right",
        "the values are right, but the gradient with respect to scores is not: something on the "
        "way cuts or bends it (stop_gradient on more than the maximum, rounding, a where that "
        "hides a NaN, a custom rule).",
        "Only the maximum may go through stop_gradient. Compare jax.grad with a difference "
        "quotient.",
    ),
    "softmax/not-traceable": (
        "it does not work under jax.jit",
        "under jit the arguments are tracers, without concrete values: an if, float(), "
        "np.asarray or a loop over their values cannot run.",
        "Keep to jnp and jax.ops operations on scores and seg.",
    ),
    "softmax/other-ops": (
        "not made of segment_max, segment_sum, arithmetic and indexing alone",
        "the task asks for these. Sorting, running sums, matrix products and loops are not needed "
        "for a softmax within segments, and neither of the two segment operations can be left out.",
        "Write it with jax.ops.segment_max and jax.ops.segment_sum once each, and index twice "
        "with seg.",
    ),
    "softmax/assumes-unique": (
        "the ids are promised to be all different",
        "with unique_indices=True you promise that no id occurs twice. Ids do occur more than "
        "once in a segment, and what the compiler makes of a broken promise is undefined.",
        "Leave unique_indices out.",
    ),
    "softmax/shape": (
        "the result does not have one entry per score",
        "the function must return one array with the shape of scores, (N,).",
        "Print the shapes of what you compute on the way.",
    ),
    "softmax/wrong-value": (
        "the values are not right",
        "they are not exp(s_i − m_k) over the sum of exp(s_j − m_k) in the same segment k.",
        "Work out the example by hand and compare step by step: the maxima, the exponentials, "
        "the sums.",
    ),
}  # fmt: skip

PROMISE = (
    "with indices_are_sorted=True you promise sorted ids, but seg may come in any order. A CPU "
    "happens to ignore the promise; on other devices a broken one gives undefined results."
)


def finding(code: str, why: str = "", **details: str) -> Finding:
    """The finding with this code; `why` stands in for the reason that it usually has."""
    headline, reason, next_step = TELL[code]
    return Finding(code, headline, why=why or reason, next_step=next_step, **details)
