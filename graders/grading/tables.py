"""What the command prints about a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from graders.findings import Outcome
from graders.grading.batch import Report
from graders.grading.ledger import Row

NEEDS = {
    Outcome.TIMED_OUT: "did not come back in time",
    Outcome.CRASHED: "ended the Python process",
    Outcome.OUT_OF_MEMORY: "used too much memory",
    Outcome.MISSING: "was not handed in",
    Outcome.UNREADABLE: "cannot be read",
}
"""What needs a person, as the end of a sentence."""


def class_table(rows: Sequence[Row]) -> str:
    """Students × notebooks with their marks."""
    notebooks = sorted({row.notebook for row in rows})
    students = sorted({row.student for row in rows})
    head = ["student", *notebooks, "total"]
    body = []
    for student in students:
        own = [row for row in rows if row.student == student]
        cells = [_marks([row for row in own if row.notebook == name]) for name in notebooks]
        body.append([student, *cells, _marks(own)])
    widths = [max(len(line[i]) for line in [head, *body]) for i in range(len(head))]
    lines = [
        "  ".join(
            [
                line[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True)),
            ]
        )
        for line in [head, *body]
    ]
    lines.insert(1, "  ".join("─" * width for width in widths))
    return "\n".join(lines)


def _marks(rows: Sequence[Row]) -> str:
    if not rows:
        return "–"
    statuses = {row.status for row in rows}
    for outcome in (Outcome.MISSING, Outcome.UNREADABLE, Outcome.NOT_ATTEMPTED):
        if statuses == {outcome.value}:
            return outcome.words
    return f"{sum(row.score for row in rows):g} / {sum(row.max_score for row in rows):g}"


def findings_table(rows: Sequence[Row], most: int = 10) -> str:
    """The most frequent findings with the number of students who were told them."""
    told = Counter(
        code for _, code in {(row.student, code) for row in rows for code in row.findings}
    )
    if not told:
        return "Nobody was told anything."
    width = max(len(code) for code in told)
    ranked = sorted(told.items(), key=lambda item: (-item[1], item[0]))[:most]
    return "\n".join(
        f"{code.ljust(width)}  {number} student{'s' if number > 1 else ''}"
        for code, number in ranked
    )


def to_look_at(rows: Sequence[Row]) -> list[str]:
    """A line for each notebook that a teacher should look at."""
    lines = []
    seen = set()
    for row in rows:
        outcome = Outcome(row.status)
        key = (row.student, row.notebook, outcome)
        if outcome in NEEDS and key not in seen:
            seen.add(key)
            where = row.notebook if outcome in (Outcome.MISSING, Outcome.UNREADABLE) else row.cell
            note = f" ({row.note})" if row.note and outcome is not Outcome.MISSING else ""
            lines.append(f"{row.student}: {where} {NEEDS[outcome]}{note}")
    return lines


def run_summary(report: Report, seconds: float) -> str:
    """What a run did, with the slowest notebooks and what to look at."""
    lines = [
        f"Graded {len(report.graded)} notebooks in {seconds:.1f} s; "
        f"{report.skipped} were graded before.",
    ]
    counts = Counter(Outcome(row.status).words for row in report.rows)
    if counts:
        lines.append("Cells: " + ", ".join(f"{n} {words}" for words, n in counts.most_common()))
    fresh = set(report.graded)
    spent: Counter[tuple[str, str]] = Counter()
    for row in report.rows:
        if (row.student, row.notebook) in fresh:
            spent[row.student, row.notebook] += row.seconds  # type: ignore[assignment]
    slow = [f"{s}/{n} {t:.1f} s" for (s, n), t in spent.most_common(3)]
    if slow:
        lines.append("Slowest: " + ", ".join(slow))
    for student, notebook, cell, old, new in report.changes:
        lines.append(f"Mark changed: {student}, {notebook}, {cell}: {old:g} → {new:g}")
    for student, notebook, cell, mark in report.hand_set:
        lines.append(f"Set by hand and kept: {student}, {notebook}, {cell}: {mark:g}")
    looks = to_look_at(report.rows)
    if looks:
        lines += ["To look at:", *(f"  {line}" for line in looks)]
    for student, notebook, reason in report.failures:
        lines.append(f"NOT GRADED: {student}, {notebook}: {reason}")
    return "\n".join(lines)
