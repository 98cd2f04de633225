"""Exercise 1 drawn: returns over time, cut where episodes end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graders._returns_models import oracle
from graders.compare import as_float, brief
from graders.observe import JIT, TRACE, Call, Observation
from graders.pictures import frame
from graders.pictures.frame import MUTED, REFERENCE, YOURS, Picture
from graders.pictures.tree import Wanted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REWARDS = np.array([1, 2, 3, 4, 0, 0, 0, 8], np.float32)
DONES = np.array([0, 1, 0, 1, 0, 0, 0, 1], np.float32)
GAMMA = 0.5
"""The worked example, and an episode whose only reward comes at its end: 1, 2, 4, 8."""

_WANTED = (
    Wanted(
        "scan with reverse=True",
        lambda one: one.primitive == "scan" and one.parameters.get("reverse") is True,
    ),
)


def show(answer: Any) -> None:
    """Displays the picture of an answer."""
    arguments = (REWARDS, DONES, GAMMA)
    calls = (Call(arguments, through=(JIT,), otherwise=((),)), Call(arguments, through=(TRACE,)))
    frame.show("discounted_returns", answer, calls, _picture)


def _picture(seen: Sequence[Observation]) -> Picture:
    value, trace = seen
    expected = oracle(REWARDS, DONES, GAMMA)
    came = as_float(value.value) if value.returned else None
    notes = [frame.told(value)]
    words = (
        f"Rewards {brief(REWARDS)}, gamma {GAMMA}; episodes end at steps 1, 3 and 7. "
        f"The returns are {brief(expected)}. "
    )
    if came is not None and came.shape == expected.shape:
        off = np.flatnonzero(~np.isclose(came, expected, rtol=1e-5))
        where = ", ".join(map(str, off))
        same = f", which differ at the steps {where}." if where else ", the same."
        words += f"Yours are {brief(came)}{same}"
    elif value.returned:
        notes.append(
            f"Your function returned {_kind(value.value)}, and not one array of shape (8,)."
        )
        came = None
    if value.returned and not trace.returned:
        notes.append(f"It cannot be traced. {frame.told(trace)}")

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        steps = np.arange(len(REWARDS))
        axes.bar(steps, REWARDS, 0.5, color="#d9d9d9", edgecolor=MUTED, label="rewards")
        for start, end in ((0, 1), (2, 3), (4, 7)):
            axes.axvline(end + 0.5, color=MUTED, linestyle=":", linewidth=1)
            piece = slice(start, end + 1)
            label = "the returns" if start == 0 else None
            axes.plot(steps[piece], expected[piece], "-o", color=REFERENCE, markersize=10,
                      markerfacecolor="none", markeredgewidth=2, label=label)  # fmt: skip
        if came is not None:
            shown = frame.clipped(came, -25, 25)
            axes.plot(steps, shown, "--X", color=YOURS, markersize=7, label="yours")
        low, high = axes.get_ylim()
        axes.set_ylim(low, high * 1.12)
        for end in (1, 3, 7):
            axes.text(end + 0.47, high * 1.1, "episode ends", rotation=90, fontsize=7, ha="right",
                      va="top", color=MUTED)  # fmt: skip
        frame.finish(axes, f"Discounted returns, gamma = {GAMMA}", "step t", "reward, return")
        frame.legend(figure, axes)

    return Picture(
        "discounted_returns beside the right returns", words, draw,
        trees=frame.trees(trace, _WANTED), notes=tuple(filter(None, notes)),
    )  # fmt: skip


def _kind(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return f"something of type {type(value).__name__}" if shape is None else f"shape {shape}"
