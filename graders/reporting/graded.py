"""What an autograded notebook tells: its rows, the findings as students read them, the answers."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.findings import Finding
from graders.grading.judge import KEY
from graders.grading.ledger import Row

_FIELDS = {"Input": "given", "Your answer": "came", "Expected": "expected"}
_PARAGRAPHS = {"Why:": "why", "Try next:": "next_step"}


@dataclass(frozen=True)
class Graded:
    """A graded notebook.

    Attributes:
        rows: a ledger row for each test cell, with empty `student` and `notebook`.
        findings: (test cell, finding) in the notebook's order.
        code: (grade_id or `""`, source) of the other code cells, in order.
    """

    rows: tuple[Row, ...]
    findings: tuple[tuple[str, Finding], ...]
    code: tuple[tuple[str, str], ...]


def read(path: Path) -> Graded | None:
    """Reads a graded notebook; `None` if there is none, or if it was graded by something else."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = tuple(Row.from_json(row) for row in document["metadata"][KEY]["rows"])
        cells = document["cells"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    tests = {row.cell for row in rows}
    findings: list[tuple[str, Finding]] = []
    code: list[tuple[str, str]] = []
    for cell in cells:
        if cell.get("cell_type") != "code":
            continue
        name = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", "")
        if name in tests:
            # Only here do the outputs come from the trusted side.
            findings += [(name, finding) for finding in _findings(cell)]
        else:
            code.append((name, _text(cell.get("source", ""))))
    return Graded(rows, tuple(findings), tuple(code))


def _text(source: Any) -> str:
    return "".join(source) if isinstance(source, list) else str(source)


def _findings(cell: Mapping[str, Any]) -> Iterator[Finding]:
    for output in cell.get("outputs", []):
        fragment = _text(output.get("data", {}).get("text/html", ""))
        if 'class="graders-result"' in fragment:
            yield from parse(fragment)


def parse(fragment: str) -> Iterator[Finding]:
    """The inverse of `graders.report.to_html`, as far as findings go."""
    try:
        root = ET.fromstring(fragment)
    except ET.ParseError:
        return
    for section in root.iter("section"):
        found = {"headline": "", "code": ""}
        for row in section.iter("tr"):
            field = _FIELDS.get(_words(row.find("th")))
            if field:
                found[field] = _words(row.find("td"))
        for number, paragraph in enumerate(section.iter("p")):
            strong = _words(paragraph.find("strong"))
            if number == 0:
                found["headline"] = strong.removeprefix("✗ ")
                found["code"] = _words(paragraph.find("code"))
            elif strong in _PARAGRAPHS:
                found[_PARAGRAPHS[strong]] = _words(paragraph).removeprefix(strong).strip()
        if found["code"]:
            yield Finding(**found)


def _words(element: ET.Element | None) -> str:
    return "" if element is None else "".join(element.itertext()).strip()
