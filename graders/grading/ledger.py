"""The ledger: one line of JSON for each graded cell, and for what could not be graded."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graders.findings import Outcome


@dataclass(frozen=True)
class Row:
    """What a graded cell came to.

    Attributes:
        student: the student's id.
        notebook: the notebook's name, without extension.
        cell: the cell's grade_id; `""` where the whole notebook is meant.
        status: an `Outcome`.
        score: the mark.
        max_score: the cell's points.
        findings: the codes of what was found, in order.
        seconds: wall seconds that grading the cell took.
        note: a sentence for the teacher, or `""`.
    """

    student: str
    notebook: str
    cell: str
    status: str
    score: float
    max_score: float
    findings: tuple[str, ...] = ()
    seconds: float = 0.0
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The row as a JSON object."""
        return {**asdict(self), "findings": list(self.findings)}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Row:
        """The inverse of `to_json`.

        Raises:
            ValueError: if the object has another form.
        """
        try:
            row = cls(**{**document, "findings": tuple(document["findings"])})
            Outcome(row.status)
        except (TypeError, KeyError, ValueError) as error:
            raise ValueError(f"not a ledger row: {error}") from None
        return row


def write(path: Path, rows: Iterable[Row]) -> None:
    """Writes a ledger whole, by renaming a temporary file."""
    lines = "".join(json.dumps(row.to_json(), ensure_ascii=False) + "\n" for row in rows)
    write_text(path, lines)


def read(path: Path) -> list[Row]:
    """Reads a ledger.

    Raises:
        ValueError: if a line is not a row; the message names file and line.
    """
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            rows.append(Row.from_json(json.loads(line)))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}.") from None
    return rows


def write_text(path: Path, text: str) -> None:
    """Writes a text file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
