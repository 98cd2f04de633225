"""Exercise 3 drawn: each segment as a bar of its probabilities, which sum to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graders._softmax_inputs import LARGE, UNSORTED, Input
from graders._softmax_models import oracle
from graders.compare import as_float, brief
from graders.observe import JIT, TRACE, Call, Observation
from graders.pictures import frame
from graders.pictures.frame import MUTED, REFERENCE, YOURS, Picture
from graders.pictures.tree import Wanted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INPUTS: dict[str, Input] = {
    "ids in any order": UNSORTED,
    "segments on different scales": LARGE[3],
}

_TOP = 1.5
"""The height at which bars are cut off."""


def _scatter(kind: str) -> Wanted:
    names = (f"scatter-{kind}", f"scatter_{kind}")
    function = {"max": "segment_max", "add": "segment_sum"}[kind]
    words = f"scatter-{kind}, which jax.ops.{function} becomes"
    return Wanted(words, lambda one: one.primitive in names)


_WANTED = (_scatter("max"), _scatter("add"))


def show(answer: Any) -> None:
    """Displays the picture of an answer."""
    calls = [
        Call((scores, seg), {"num_segments": k}, through=(JIT,), otherwise=((),))
        for scores, seg, k in INPUTS.values()
    ]
    scores, seg, k = UNSORTED
    calls.append(Call((scores, seg), {"num_segments": k}, through=(TRACE,)))
    frame.show("segment_softmax", answer, calls, _picture)


def _picture(seen: Sequence[Observation]) -> Picture:
    *values, trace = seen
    words, notes, results = [], [frame.told(one) for one in values], []
    for (title, given), one in zip(INPUTS.items(), values, strict=True):
        scores, seg, _ = given
        expected, came = oracle(*given), as_float(one.value) if one.returned else None
        words.append(
            f"{title[0].upper()}{title[1:]}: scores {brief(scores, 5)} in segments {brief(seg)} "
            f"give {brief(expected)}, where each segment sums to 1."
        )
        if came is not None and came.shape == expected.shape:
            sums = np.bincount(seg, came)
            words.append(f"Yours are {brief(came)}; the segments sum to {brief(sums)}.")
            if not np.isfinite(came).all():
                notes.append(f"Some of your values are not finite ({title}).")
        elif one.returned:
            notes.append(f"Your function did not return one array of shape {expected.shape}.")
            came = None
        results.append((title, given, expected, came))
    if values[0].returned and not trace.returned:
        notes.append(f"It cannot be traced with num_segments static. {frame.told(trace)}")

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(results), sharey=True)
        for axes, (title, given, expected, came) in zip(panels, results, strict=True):
            _bars(axes, given, expected, came)
            frame.finish(axes, title, "segment", "probability")
        frame.legend(figure, panels[0])

    return Picture(
        "segment_softmax, segment by segment", " ".join(words), draw, (9, 3.4),
        frame.trees(trace, _WANTED), tuple(dict.fromkeys(filter(None, notes))),
    )  # fmt: skip


def _bars(axes: Axes, given: Input, expected: np.ndarray, came: np.ndarray | None) -> None:
    _, seg, k = given
    for values, side, colour, hatch, label in (
        (expected, -0.2, REFERENCE, "", "right"), (came, 0.2, YOURS, "///", "yours"),
    ):  # fmt: skip
        if values is None:
            continue
        floor = np.zeros(k)
        for score, (value, segment) in enumerate(zip(values, seg, strict=True)):
            height = float(np.nan_to_num(np.clip(value, 0, _TOP), nan=0.0))
            x = segment + side
            axes.bar(x, height, 0.36, bottom=floor[segment], facecolor="white", edgecolor=colour,
                     hatch=hatch, linewidth=1.5, label=label if score == 0 else None)  # fmt: skip
            if height >= 0.06:
                axes.text(x, floor[segment] + height / 2, f"s{score}: {value:.2g}", fontsize=7,
                          ha="center", va="center", clip_on=True,
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip
            floor[segment] += height
        for segment in range(k):
            wrong = values[(seg == segment) & ~np.isfinite(values)]
            if len(wrong):
                axes.text(segment + side, floor[segment] + 0.02, brief(wrong[0]), fontsize=8,
                          ha="center", va="bottom", color=colour, clip_on=True)  # fmt: skip
    axes.axhline(1, color=MUTED, linestyle=":", linewidth=1)
    axes.set_xticks(range(k))
    axes.set_ylim(0, max(1.12, min(_TOP, axes.get_ylim()[1])))
