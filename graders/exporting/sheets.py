"""CSV that opens in a spreadsheet, and in the systems that import it, whatever is in it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from graders.grading.ledger import write_text

Value = str | float | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe(value: Value) -> str:
    """A value as a cell's text.

    Numbers stay numbers, the negative ones too; nothing is an empty cell. A text that a
    spreadsheet would take for a formula gets a quote in front, which spreadsheets hide.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        # Half of a surrogate pair cannot be written to any file.
        text = value.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
        return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) and text != "-" else text
    return f"{value:.10g}"


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
    """Writes a CSV file whole or not at all: UTF-8 with a mark that spreadsheets look for."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([safe(name) for name in header])
    writer.writerows([safe(value) for value in row] for row in rows)
    # csv ends lines with CR LF, as the format's description asks for.
    write_text(path, "\N{ZERO WIDTH NO-BREAK SPACE}" + text.getvalue())
