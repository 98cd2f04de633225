"""Exercise 2 drawn: Newton's iterates, and the step at which they freeze."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from graders._newton_loop import BOUND, TOLERANCE, reference
from graders.compare import as_float, brief
from graders.observe import TRACE, Call, Observation, history
from graders.pictures import frame
from graders.pictures.frame import MUTED, REFERENCE, YOURS, Picture
from graders.pictures.tree import Wanted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

A = 1e4
"""Its root, 100, takes 10 steps: enough to see both the way there and the standstill."""

_LIMIT = BOUND + 10

_FLOOR = 1e-8
"""Where a residual of 0 is drawn, below anything that float32 can tell from it."""


def show(answer: Any, version: Literal["scan", "while"]) -> None:
    """Displays the picture of an answer."""
    a = np.array(A, np.float32)
    calls = (Call((a,), through=(history(_LIMIT),)), Call((a,), through=(TRACE,)))
    wanted = Wanted(version, lambda one: one.primitive == version)
    name = f"newton_sqrt_{version}"
    frame.show(name, answer, calls, lambda seen: _picture(name, wanted, seen))


def _picture(name: str, wanted: Wanted, seen: Sequence[Observation]) -> Picture:
    run, trace = seen
    k = reference(A).k
    right = _iterates(k)
    x, count = _pair(run.value)
    steps = _carried(run, x)
    notes = [frame.told(run)]
    if run.returned and run.value is None:
        notes.append(f"Your loop was still going after {_LIMIT} steps, where it was stopped.")
    elif run.returned and x is None:
        notes.append("Your function did not return a pair (x, k) of two numbers.")
    elif run.returned and not len(steps):
        notes.append("There is no loop in your traced program whose steps could be drawn.")
    words = (
        f"Newton's iterates for a = {A:g}: the error x² − a, relative to a, falls from step to "
        f"step and is below {TOLERANCE:g} after {k} steps; there x freezes at {brief(right[-1])}. "
    )
    if x is not None:
        words += f"Yours ends at x = {brief(x, 6)} with k = {count:g}."
        if len(steps):
            words += (
                f" Your loop took {len(steps)} steps, and x last changed in step {_last(steps)}."
            )

    def draw(figure: Figure) -> None:
        left, axes = figure.subplots(1, 2, sharex=True)
        for panel, of in ((left, lambda xs: xs), (axes, _residuals)):
            panel.set_yscale("log")
            panel.plot(range(k + 1), of(right), "-o", color=REFERENCE, label="Newton's iterates",
                       markersize=9, markerfacecolor="none", markeredgewidth=2)  # fmt: skip
            panel.plot((k, BOUND), of(right)[[-1, -1]], ":", color=REFERENCE, label="frozen")
            if len(steps):
                shown = frame.clipped(of(steps), _FLOOR / 10, 1e9)
                panel.plot(range(1, len(steps) + 1), shown, "--X", color=YOURS, markersize=6,
                           label="yours")  # fmt: skip
            panel.axvline(k, color=REFERENCE, linewidth=1)
            if count is not None and np.isfinite(count):
                panel.axvline(min(count, _LIMIT), color=YOURS, linewidth=1.5, linestyle="--",
                              label="your k")  # fmt: skip
        axes.axhline(TOLERANCE, color=MUTED, linestyle=":", linewidth=1)
        axes.text(k + 0.4, TOLERANCE * 1.6, "converged below this", fontsize=8, color=MUTED)
        left.text(k + 0.4, A, f"k = {k}", fontsize=9, color=REFERENCE)
        frame.finish(left, f"x, for a = {A:g}", "step", "x")
        frame.finish(axes, "how far x² is from a", "step", "|x² − a| / a")
        frame.legend(figure, left)

    title = f"{name} beside Newton's iterates"
    return Picture(
        title, words.strip(), draw, (9, 3.4), frame.trees(trace, (wanted,)),
        tuple(filter(None, notes)),
    )  # fmt: skip


def _iterates(k: int) -> np.ndarray:
    xs = [A]
    for _ in range(k):
        xs.append((xs[-1] + A / xs[-1]) / 2)
    return np.array(xs)


def _residuals(xs: np.ndarray) -> np.ndarray:
    return np.maximum(np.abs(np.square(xs) - A) / A, _FLOOR)


def _pair(value: Any) -> tuple[float | None, float | None]:
    if isinstance(value, tuple | list) and len(value) == 2:
        x, k = as_float(value[0]), as_float(value[1])
        if x is not None and k is not None and x.shape == k.shape == ():
            return float(x), float(k)
    return None, None


def _carried(run: Observation, x: float | None) -> np.ndarray:
    """What the loop carried as x, step by step; nothing if that cannot be told."""
    columns = [
        np.array([float(step.details[name]) for step in run.events])
        for name, first in (run.events[0].details.items() if run.events else ())
        if np.shape(first) == () and np.asarray(first).dtype.kind == "f"
    ]
    # Of several numbers that are carried, x is the one that is returned.
    fitting = [column for column in columns if x is not None and column[-1] == np.float32(x)]
    return next(iter(fitting or columns), np.zeros(0))


def _last(steps: np.ndarray) -> int:
    """The last step in which x changed."""
    changed = np.flatnonzero(np.diff(steps, prepend=A))
    return int(changed[-1]) + 1 if len(changed) else 0
