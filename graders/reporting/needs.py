"""What needs a person: what could not be graded, and what a person has set."""

from __future__ import annotations

from dataclasses import dataclass

from graders.findings import Outcome
from graders.grading.tables import NEEDS
from graders.reporting.classroom import Classroom


@dataclass(frozen=True)
class Need:
    """Something to look at.

    Attributes:
        student: the student's id.
        where: a notebook, or a check whose mark was set by hand.
        what: what is the matter.
        note: the checks it happened in and what grading says of it, or `""`.
    """

    student: str
    where: str
    what: str
    note: str = ""


def needs(room: Classroom) -> list[Need]:
    """What needs a person, student by student; each thing once."""
    found: dict[tuple[str, str, str], list[str]] = {}

    def add(student: str, where: str, what: str, note: str = "") -> None:
        notes = found.setdefault((student, what, where), [])
        if note and note not in notes:
            notes.append(note)

    for student in room.students:
        if not student.handed_in:
            add(student.id, room.assignment, "nothing was handed in")
        for notebook in student.ungraded:
            add(student.id, notebook, "not graded since it was handed in")
    for mark in room.marks:
        row, outcome = mark.row, Outcome(mark.row.status)
        if mark.by_hand is not None:
            note = f"{mark.by_hand:g} of {row.max_score:g}, automatically {row.score:g}"
            add(row.student, row.cell, "mark set by hand", note)
        elif outcome in NEEDS:
            whole = outcome in (Outcome.MISSING, Outcome.UNREADABLE)
            add(row.student, row.notebook, NEEDS[outcome], "" if whole else row.cell)
            if outcome is not Outcome.MISSING:
                add(row.student, row.notebook, NEEDS[outcome], row.note)
        elif mark.stale:
            add(row.student, row.notebook, "its mark is stale: grade again", row.note)
    return [
        Need(student, where, what, _short(notes))
        for (student, what, where), notes in sorted(found.items())
    ]


def _short(notes: list[str], most: int = 4) -> str:
    more = f" and {len(notes) - most} more" if len(notes) > most else ""
    return "; ".join(notes[:most]) + more
