"""Exercise 4 drawn: the piecewise curve and its derivative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from graders._piecewise_pieces import PI32, oracle, slope
from graders.compare import as_float, close
from graders.observe import JIT, TRACE, Call, Observation, Step, grad, observe_all, vmap
from graders.pictures import frame
from graders.pictures.frame import MUTED, REFERENCE, YOURS, Picture
from graders.pictures.tree import Wanted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Version = Literal["switch", "select"]

XS = np.sort(np.append(np.linspace(-2.4, 6.4, 41), [0, PI32])).astype(np.float32)
"""Where the curve is drawn; 0 is on it exactly, and π as float32 has it."""

_BREAKS = np.array([0, PI32])

_SWITCH = Wanted(
    "cond with 3 branches, which lax.switch becomes",
    lambda one: one.primitive == "cond" and one.parameters.get("branches") == 3,
)
_SELECT = Wanted("select_n", lambda one: one.primitive == "select_n")
_NO_COND = Wanted("cond", lambda one: one.primitive == "cond", unwanted=True)


def show(answer: Any, version: Version) -> None:
    """Displays the picture of an answer."""
    mapped: tuple[Step, ...] = (vmap(0),) if version == "switch" else ()
    calls = [
        Call((XS,), through=(*mapped, *steps, JIT), otherwise=((*mapped, *steps),))
        for steps in ((), (grad(0),))
    ]
    # What vmap makes of a switch is for the student to find out, in part C.
    calls.append(Call((XS[0] if mapped else XS,), through=(TRACE,)))
    name = "piecewise" if version == "switch" else "piecewise_select"
    frame.show(name, answer, calls, lambda seen: _picture(name, version, answer, seen))


def _picture(name: str, version: Version, answer: Any, seen: Sequence[Observation]) -> Picture:
    values, slopes = seen[:2]
    notes = []
    heights, steepness = _curve(values.value), _curve(slopes.value)
    if not values.returned:
        notes.append(frame.told(values))
        if version == "switch":
            # What decides in Python has values, though only one at a time.
            heights = _one_by_one(answer)
            notes.append("It works only for one x at a time: jax.vmap cannot trace it.")
    elif heights is None:
        notes.append(f"Your function did not return one number for each of {len(XS)} x.")
    if values.returned and heights is not None and not slopes.returned:
        notes.append(f"There is no derivative to draw. {frame.told(slopes)}")
    wanted = (_SWITCH,) if version == "switch" else (_SELECT, _NO_COND)
    curves = (("f(x)", oracle, heights), ("f′(x)", slope, steepness))
    words = [
        "The curve f(x), x² left of 0, sin x from 0 to π, x − π from there on, and its derivative "
        "f′(x): 2x, cos x, 1. The derivative jumps from 0 to 1 at 0, and from −1 to 1 at π."
    ]
    words += [_compared(title, exact, came) for title, exact, came in curves if came is not None]

    def draw(figure: Figure) -> None:
        for axes, (title, exact, came) in zip(figure.subplots(1, 2), curves, strict=True):
            for number, (start, end) in enumerate(((-2.4, 0), (0, np.pi), (np.pi, 6.4))):
                # Up to the breakpoint but without it: it belongs to the piece on its right.
                x = np.linspace(start, end, 60, endpoint=number == 2)
                axes.plot(x, exact(x), "-", color=REFERENCE, linewidth=2.5,
                          label="right" if number == 0 else None)  # fmt: skip
            axes.plot(_BREAKS, exact(_BREAKS.astype(np.float64)), "o", color=REFERENCE,
                      markersize=11, markerfacecolor="none", markeredgewidth=2,
                      label="at the breakpoints")  # fmt: skip
            if came is not None:
                axes.plot(XS, frame.clipped(came, -12, 12), "X", color=YOURS, markersize=5,
                          label="yours")  # fmt: skip
            for x in _BREAKS:
                axes.axvline(x, color=MUTED, linestyle=":", linewidth=1)
            axes.set_xticks([-2, 0, 2, np.pi, 4, 6], ["−2", "0", "2", "π", "4", "6"])
            frame.finish(axes, title, "x")
        frame.legend(figure, figure.axes[0])

    return Picture(
        f"{name} and its derivative", " ".join(words), draw, (9, 3.4),
        frame.trees(seen[2], wanted), tuple(notes),
    )  # fmt: skip


def _curve(value: Any) -> np.ndarray | None:
    """A result as one number for each x; a gradient comes as a tuple of one."""
    array = as_float(value[0] if isinstance(value, tuple) and len(value) == 1 else value)
    return array if array is not None and array.shape == XS.shape else None


def _one_by_one(answer: Any) -> np.ndarray | None:
    seen = observe_all(answer, [Call((x,)) for x in XS])
    numbers = [as_float(one.value) if one.returned else None for one in seen]
    if all(number is None or number.shape != () for number in numbers):
        return None
    return np.array([np.nan if one is None or one.shape != () else float(one) for one in numbers])


def _compared(title: str, exact: Any, came: np.ndarray) -> str:
    expected = exact(XS)
    right = np.array(
        [close(a, b, rtol=1e-5, atol=1e-5) for a, b in zip(came, expected, strict=True)]
    )
    if right.all():
        return f"Your {title} agrees everywhere."
    off = XS[~right]
    if len(off) == 1:
        where = "π" if off[0] == PI32 else f"{off[0]:.3g}"
        return f"Your {title} is off at x = {where} only."
    return f"Your {title} is off at {len(off)} of {len(XS)} x, from {off[0]:.3g} to {off[-1]:.3g}."
