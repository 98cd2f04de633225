"""A class's work on an assignment as plain data, from the gradebook and the graded notebooks."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from nbgrader.api import Gradebook

from graders.exporting import late
from graders.findings import Finding, Outcome
from graders.grading import intake
from graders.grading.course import Course, CourseError
from graders.grading.ledger import Row
from graders.grading.rows import missing_rows
from graders.reporting import graded


@dataclass(frozen=True)
class Mark:
    """What one check came to for one student.

    Attributes:
        row: as in the ledger.
        by_hand: the mark that a person set instead, or `None`.
        stale: whether the gradebook waits for this cell to be graded again.
    """

    row: Row
    by_hand: float | None = None
    stale: bool = False

    @property
    def score(self) -> float:
        """The mark that counts."""
        return self.row.score if self.by_hand is None else self.by_hand

    @property
    def share(self) -> float:
        """The mark as a share of the points."""
        return self.score / self.row.max_score if self.row.max_score else 0.0

    @property
    def answered(self) -> bool:
        """Whether there is an answer that the mark says something about."""
        unanswered = (Outcome.MISSING, Outcome.UNREADABLE, Outcome.NOT_ATTEMPTED)
        return self.by_hand is not None or self.row.status not in unanswered


@dataclass(frozen=True)
class Student:
    """A student of the course.

    Attributes:
        id: the student's id.
        name: first and last name, as far as the gradebook knows them.
        handed_in: whether there is a submission.
        time: when it was handed in, UTC, if known.
        ungraded: the notebooks that are there and not graded, or handed in again since.
        penalty: points taken off for lateness.
    """

    id: str
    name: str = ""
    handed_in: bool = True
    time: datetime | None = None
    ungraded: tuple[str, ...] = ()
    penalty: float = 0.0


@dataclass(frozen=True)
class Classroom:
    """A class's work on an assignment.

    Attributes:
        assignment: the assignment's name.
        notebooks: the names of its notebooks.
        students: everybody, handed in or not.
        marks: a mark for each student and check.
        findings: (student, notebook, test cell, finding) as the students read them.
        code: (student, notebook, grade_id or `""`, source) of the students' code cells.
    """

    assignment: str
    notebooks: tuple[str, ...]
    students: tuple[Student, ...]
    marks: tuple[Mark, ...]
    findings: tuple[tuple[str, str, str, Finding], ...] = ()
    code: tuple[tuple[str, str, str, str], ...] = ()

    def of(self, student: str, notebook: str | None = None) -> list[Mark]:
        """A student's marks."""
        return [
            mark
            for mark in self.marks
            if mark.row.student == student and notebook in (None, mark.row.notebook)
        ]


def load(course: Course, assignment: str) -> Classroom:
    """Reads a class's work.

    Args:
        course: the course.
        assignment: the assignment's name.

    Raises:
        CourseError: if there is no such assignment, or the extensions cannot be read.
    """
    sources = course.sources(assignment)
    submitted = course.students(assignment)
    with course.gradebook() as gradebook:
        try:
            late.refresh(gradebook, assignment, course.config)
        except ValueError as error:
            raise CourseError(str(error)) from None
        known, marked = _gradebook(gradebook, assignment)
    students: list[Student] = []
    marks: list[Mark] = []
    findings: list[tuple[str, str, str, Finding]] = []
    code: list[tuple[str, str, str, str]] = []
    for name in sorted({*known, *submitted}):
        student = replace(known.get(name, Student(name)), handed_in=name in submitted)
        folder = course.folder("autograded", name, assignment)
        found: dict[str, Path] = {}
        notes: dict[str, str] = {}
        if student.handed_in:
            found, notes = intake.find_notebooks(
                course.folder("submitted", name, assignment), sources
            )
        ungraded = []
        for notebook, source in sources.items():
            path = folder / f"{notebook}.ipynb"
            entry = graded.read(path)
            if entry is None:
                if notebook in found:
                    ungraded.append(notebook)
                elif student.handed_in:
                    rows = missing_rows(name, notebook, source, notes.get(notebook, ""))
                    marks += [_mark(row, marked) for row in rows]
                continue
            if notebook in found and _newer(found[notebook], path):
                ungraded.append(notebook)
            marks += [
                _mark(replace(r, student=name, notebook=notebook), marked) for r in entry.rows
            ]
            findings += [(name, notebook, cell, finding) for cell, finding in entry.findings]
            code += [(name, notebook, cell, text) for cell, text in entry.code]
        students.append(replace(student, ungraded=tuple(ungraded)))
    return Classroom(
        assignment, tuple(sources), tuple(students), tuple(marks), tuple(findings), tuple(code)
    )


Marked = Mapping[tuple[str, str, str], tuple[float | None, float | None]]


def _gradebook(gradebook: Gradebook, assignment: str) -> tuple[dict[str, Student], Marked]:
    """The students, and (automatic mark, mark set by hand) by student, notebook and cell."""
    students = {
        student.id: Student(
            student.id, " ".join(filter(None, (student.first_name, student.last_name)))
        )
        for student in gradebook.students
    }
    marked = {}
    entry = next((a for a in gradebook.assignments if a.name == assignment), None)
    for submission in entry.submissions if entry else ():
        name = submission.student_id
        students[name] = replace(
            students[name],
            time=submission.timestamp,
            penalty=float(submission.late_submission_penalty or 0.0),
        )
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                hand = None if grade.manual_score is None else grade.score
                marked[name, notebook.name, grade.name] = grade.auto_score, hand
    return students, marked


def _mark(row: Row, marked: Marked) -> Mark:
    automatic, by_hand = marked.get((row.student, row.notebook, row.cell), (row.score, None))
    return Mark(row, by_hand, stale=automatic is None and by_hand is None)


def _newer(submitted: Path, graded_: Path) -> bool:
    try:
        return submitted.stat().st_mtime > graded_.stat().st_mtime
    except OSError:
        return False


def of_rows(assignment: str, rows: Iterable[Row]) -> Classroom:
    """A class as an earlier ledger tells of it."""
    rows = list(rows)
    return Classroom(
        assignment,
        tuple(dict.fromkeys(row.notebook for row in rows)),
        tuple(Student(name) for name in dict.fromkeys(row.student for row in rows)),
        tuple(Mark(row) for row in rows),
    )


def anonymous(room: Classroom) -> Classroom:
    """The class under numbers that are drawn anew each time; notes and names are gone."""
    numbers = list(range(1, len(room.students) + 1))
    random.SystemRandom().shuffle(numbers)
    width = len(str(len(numbers)))
    alias = {
        student.id: f"student {number:0{width}}"
        for student, number in zip(room.students, numbers, strict=True)
    }
    names = [
        word
        for student in room.students
        for word in (student.id, *student.name.split())
        if len(word) > 2
    ]

    def scrubbed(finding: Finding) -> Finding:
        texts = {}
        for field in ("headline", "given", "came", "expected", "why"):
            text = getattr(finding, field)
            if any(name in text for name in names):
                text = "(left out: it holds a name)"
            texts[field] = text
        return replace(finding, **texts)

    return replace(
        room,
        students=tuple(
            sorted(
                (replace(s, id=alias[s.id], name="", time=None) for s in room.students),
                key=lambda student: student.id,
            )
        ),
        marks=tuple(
            replace(mark, row=replace(mark.row, student=alias[mark.row.student], note=""))
            for mark in room.marks
        ),
        findings=tuple((alias[s], n, c, scrubbed(finding)) for s, n, c, finding in room.findings),
        code=tuple((alias[s], n, c, text) for s, n, c, text in room.code),
    )
