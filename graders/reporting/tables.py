"""Tables of the page: sortable, and readable without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        html: what it shows.
        value: what it is sorted by.
    """

    html: str
    value: str | float = ""


def text(words: str) -> Cell:
    """A cell with text."""
    return Cell(escape(words), words)


def number(value: float | None, pattern: str = "{:g}") -> Cell:
    """A cell with a number; a dash sorts last."""
    return Cell("–", -1e9) if value is None else Cell(pattern.format(value), value)


def table(caption: str, columns: Sequence[tuple[str, bool]], rows: Iterable[Sequence[Cell]]) -> str:
    """A table.

    Args:
        caption: what it shows; also names the region that scrolls on a narrow screen.
        columns: (heading, whether it holds numbers).
        rows: the rows; the first cell of each is its heading.
    """
    heads = "".join(
        f'<th scope="col"{_class(numeric)}>{escape(heading)}</th>' for heading, numeric in columns
    )
    body = []
    for row in rows:
        cells = []
        for place, (cell, (_, numeric)) in enumerate(zip(row, columns, strict=True)):
            tag, scope = ("th", ' scope="row"') if place == 0 else ("td", "")
            value = escape(str(cell.value), quote=True)
            cells.append(f'<{tag}{scope}{_class(numeric)} data-value="{value}">{cell.html}</{tag}>')
        body.append(f"<tr>{''.join(cells)}</tr>")
    name = escape(caption, quote=True)
    return (
        f'<div class="scroll" role="region" aria-label="{name}" tabindex="0"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""
