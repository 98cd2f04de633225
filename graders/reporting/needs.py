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
        note: the checks it happened in, then what grading says of it, or `""`.
    """

    student: str
    where: str
    what: str
    note: str = ""


def needs(room: Classroom) -> list[Need]:
    """What needs a person, student by student; each thing once."""
    found: dict[tuple[str, str, str], tuple[list[str], list[str]]] = {}

    def add(student: str, where: str, what: str, note: str = "", cell: str = "") -> None:
        cells, notes = found.setdefault((student, what, where), ([], []))
        for word, words in ((cell, cells), (note, notes)):
            if word and word not in words:
                words.append(word)

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
            note = "" if outcome is Outcome.MISSING else row.note
            add(row.student, row.notebook, NEEDS[outcome], note, "" if whole else row.cell)
        elif mark.stale:
            add(row.student, row.notebook, "its mark is stale: grade again", row.note)
    return [
        Need(student, where, what, ": ".join(filter(None, (_short(cells, ", "), _short(notes)))))
        for (student, what, where), (cells, notes) in sorted(found.items())
    ]


def _short(words: list[str], between: str = "; ", most: int = 4) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return between.join(words[:most]) + more
