"""The class as a table in the terminal."""

from __future__ import annotations

import unicodedata

from graders.findings import Outcome
from graders.grading.tables import NEEDS
from graders.reporting.classroom import Classroom, Mark, Student
from graders.reporting.needs import needs


def table(room: Classroom) -> str:
    """Who has handed in, what is graded, and who needs what; a line for each student."""
    wanted: dict[str, list[str]] = {}
    for need in needs(room):
        words = wanted.setdefault(need.student, [])
        what = "a notebook is missing" if need.what == NEEDS[Outcome.MISSING] else need.what
        if what not in words:
            words.append(what)
    lines = [["student", "handed in", *room.notebooks, "total", "needs"]]
    for student in room.students:
        marks = room.of(student.id)
        lines.append(
            [
                student.id,
                _handed_in(student),
                *(_notebook(student, name, room.of(student.id, name)) for name in room.notebooks),
                # A sum without what is still to grade would look like a mark.
                _points(marks, student.penalty) if marks and not student.ungraded else "–",
                "; ".join(wanted.get(student.id, [])),
            ]
        )
    widths = [max(_width(line[place]) for line in lines) for place in range(len(lines[0]))]
    text = ["  ".join(map(_pad, line, widths)).rstrip() for line in lines]
    text.insert(1, "  ".join("─" * width for width in widths))
    there = sum(student.handed_in for student in room.students)
    waiting = sum(bool(student.ungraded) for student in room.students)
    text.append(
        f"\n{there} of {len(room.students)} have handed in, {waiting} of them have something to "
        f"grade. To look at by a person: {len(wanted)}."
    )
    return "\n".join(text)


def _handed_in(student: Student) -> str:
    if not student.handed_in:
        return "no"
    return f"{student.time:%Y-%m-%d %H:%M}" if student.time else "yes"


def _notebook(student: Student, name: str, marks: list[Mark]) -> str:
    if name in student.ungraded:
        return "to grade"
    if not marks:
        return "–"
    if any(mark.stale for mark in marks):
        return "stale"
    statuses = {mark.row.status for mark in marks}
    for outcome in (Outcome.MISSING, Outcome.UNREADABLE, Outcome.NOT_ATTEMPTED):
        if statuses == {outcome.value} and all(mark.by_hand is None for mark in marks):
            return outcome.words
    return _points(marks)


def _points(marks: list[Mark], penalty: float = 0.0) -> str:
    score, most = sum(mark.score for mark in marks), sum(mark.row.max_score for mark in marks)
    late = f" (late −{penalty:g})" if penalty else ""
    return f"{max(0.0, score - penalty):g} / {most:g}{late}"


def _width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
