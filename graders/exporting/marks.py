"""What is exported for each student: the marks that count, and what they are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from nbgrader.api import Assignment, Grade, Student


@dataclass(frozen=True)
class Check:
    """A check's mark.

    Attributes:
        score: the mark that counts, or `None` where there is none yet.
        status: `"graded"`, `"by hand"` or `"to grade"`.
    """

    score: float | None
    status: str


@dataclass(frozen=True)
class Line:
    """A student's marks for an assignment.

    Attributes:
        student: the gradebook's entry: id, names, e-mail, id in the learning platform.
        status: `"graded"`, `"partly graded"`, `"to grade"` or `"missing"`.
        score: the final score, penalty taken off; `None` unless something is graded.
        penalty: what lateness takes.
        time: when it was handed in, UTC.
        checks: by (notebook, check).
    """

    student: Student
    status: str
    score: float | None
    penalty: float = 0.0
    time: datetime | None = None
    checks: Mapping[tuple[str, str], Check] = field(default_factory=dict)


def line(assignment: Assignment, student: Student) -> Line:
    """A student's marks."""
    submission = next((s for s in assignment.submissions if s.student_id == student.id), None)
    if submission is None:
        return Line(student, "missing", None)
    checks = {
        (notebook.name, grade.name): _check(grade)
        for notebook in submission.notebooks
        for grade in notebook.grades
    }
    marked = [check.score is not None for check in checks.values()]
    status = "graded" if marked and all(marked) else "partly graded" if any(marked) else "to grade"
    penalty = float(submission.late_submission_penalty or 0.0)
    score = max(0.0, float(submission.score) - penalty) if any(marked) else None
    return Line(student, status, score, penalty, submission.timestamp, checks)


def _check(grade: Grade) -> Check:
    if grade.manual_score is not None:
        return Check(float(grade.score), "by hand")
    return Check(grade.auto_score, "to grade" if grade.auto_score is None else "graded")
