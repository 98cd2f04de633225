"""Observing an answer for a picture, and displaying it: figure, words, and the program's tree."""

from __future__ import annotations

import base64
import html
import io
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graders import checks, report
from graders import observe as seeing
from graders.observe import Call, Observation
from graders.pictures import tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REFERENCE = "#0072B2"
YOURS = "#B34700"
"""Two colours that are told apart in every kind of colour blindness; both at least 5:1 on white.
Lines and bars differ in shape, too."""

MUTED = "#595959"

DPI = 144
"""Dots per inch: half as many again as a figure is shown with, for dense screens."""

INSTALL = (
    "Matplotlib, which draws the figure, is not installed here: run `%pip install matplotlib` in "
    "a cell of its own, then show again."
)


@dataclass(frozen=True)
class Picture:
    """A picture before it is drawn.

    Attributes:
        title: its heading.
        words: what the figure shows, in a few sentences: the text in its place.
        draw: draws the figure.
        size: width and height of the figure, in inches.
        trees: the traced programs.
        notes: what is to be said of the answer, in a sentence each.
    """

    title: str
    words: str
    draw: Callable[[Figure], None]
    size: tuple[float, float] = (7.2, 3.2)
    trees: tuple[tree.Node, ...] = ()
    notes: tuple[str, ...] = ()


def show(
    name: str,
    answer: Any,
    calls: Sequence[Call],
    picture: Callable[[Sequence[Observation]], Picture],
) -> None:
    """Displays the picture of an answer, whatever the answer is.

    While notebooks are graded or validated nobody looks, and nothing is drawn.

    Args:
        name: the answer's name.
        answer: the student's function.
        calls: the calls that the picture needs.
        picture: makes it of what came of them.
    """
    if checks.is_recording() or report.is_graded():
        return
    if answer is None or answer is ... or isinstance(answer, seeing.Undefined):
        print(_nothing_yet(name))
        return
    if not callable(answer):
        print(f"{name} cannot be drawn: it is of type {type(answer).__name__}, not a function.")
        return
    seen = seeing.observe_all(answer, calls)
    if any(one.problem is not None and one.problem.is_blank for one in seen):
        print(_nothing_yet(name))
        return
    _display(picture(seen))


def _nothing_yet(name: str) -> str:
    return f"There is nothing to draw yet: write {name}, run its cell, then show it again."


def _display(picture: Picture) -> None:
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    if get_ipython() is None:
        print(to_text(picture))
        return
    image, notes = b"", [INSTALL]
    try:
        image, notes = png(picture), []
    except ImportError:
        pass
    bundle = {
        "text/plain": to_text(picture, notes),
        "text/html": to_html(picture, image, notes),
    }
    display(bundle, raw=True)


# --- figure, text, HTML -------------------------------------------------------------------


def png(picture: Picture) -> bytes:
    """The figure as a PNG file.

    Raises:
        ImportError: if there is no Matplotlib.
    """
    # Without pyplot there is no backend to choose, and no figure that stays behind.
    from matplotlib.figure import Figure

    figure = Figure(figsize=picture.size, layout="constrained", facecolor="white")
    # A wrong answer may hold infinities and other numbers that no axis can show.
    with np.errstate(all="ignore"):
        picture.draw(figure)
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=DPI)
    return file.getvalue()


def to_text(picture: Picture, notes: Sequence[str] = ()) -> str:
    """What a picture shows, as text."""
    lines = [picture.title]
    for paragraph in (*picture.notes, picture.words, *notes):
        lines += ["", textwrap.fill(paragraph, report.WIDTH)]
    for root in picture.trees:
        lines += ["", tree.to_text(root)]
    return "\n".join(lines)


def to_html(picture: Picture, image: bytes, notes: Sequence[str] = ()) -> str:
    """A picture as an HTML fragment.

    Args:
        picture: the picture.
        image: its figure as a PNG file; empty if there is none.
        notes: further sentences.
    """
    escape = html.escape
    if image:
        source = base64.b64encode(image).decode()
        figure = (
            f'<figure style="margin:4px 0"><img src="data:image/png;base64,{source}" '
            f'alt="{escape(picture.words)}" style="width:{picture.size[0] * 100:.0f}px;'
            'max-width:100%"></figure>'
        )
    else:
        figure = f"<p>{escape(picture.words)}</p>"
    said = "".join(f"<p>{escape(note)}</p>" for note in (*picture.notes, *notes))
    trees = "".join(
        f'<div style="margin:4px 24px 4px 0">{tree.to_html(root)}</div>' for root in picture.trees
    )
    return (
        f'<div class="graders-picture"><p><strong>{escape(picture.title)}</strong></p>{said}'
        f'{figure}<div style="display:flex;flex-wrap:wrap">{trees}</div></div>'
    )


# --- what the exercises' pictures share ---------------------------------------------------


def told(seen: Observation) -> str:
    """A sentence on a call that did not return, or `""`."""
    if seen.problem is not None:
        return f"Your function raised {checks.told(seen.problem).rstrip('.')}."
    return "" if seen.returned else f"Your function did not return: {seen.status}."


def trees(
    seen: Observation, wanted: Sequence[tree.Wanted], title: str = "your traced program"
) -> tuple[tree.Node, ...]:
    """The tree of a traced call; nothing if it could not be traced."""
    return () if seen.program is None else (tree.tree(seen.program, wanted, title),)


def finish(axes: Axes, title: str, x: str, y: str = "") -> None:
    """Gives axes their words, and a look without clutter."""
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def legend(figure: Figure, axes: Axes) -> None:
    """A legend above all axes, so that it hides no data."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=4, fontsize=9, frameon=False)


def clipped(values: Any, low: float, high: float) -> np.ndarray:
    """Values that an axis can show: what is not finite becomes a gap, the rest is cut off."""
    array = np.asarray(values, np.float64)
    return np.where(np.isfinite(array), np.clip(array, low, high), np.nan)
