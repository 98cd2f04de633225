"""Late work: a grace period, a percentage for each day with a floor, extensions by student."""

from __future__ import annotations

import csv
import math
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import parse_utc
from traitlets import Float, Unicode
from traitlets.config import Config

DAY = 86400.0


class LatePenalty(LateSubmissionPlugin):
    """The usual rules, as nbgrader's plugin for late submissions.

    Within the grace period nothing is taken off; afterwards each day that has begun takes a
    percentage of the final score, and the floor stays.

        c.AssignLatePenalties.plugin_class = "graders.exporting.LatePenalty"
        c.LatePenalty.percent_per_day = 10
    """

    grace_minutes = Float(15.0, min=0, help="Minutes after the due date that do not count.").tag(
        config=True
    )
    percent_per_day = Float(
        10.0, min=0, max=100, help="Per cent of the score taken off for each day begun."
    ).tag(config=True)
    floor_percent = Float(
        0.0, min=0, max=100, help="Per cent of the score that stay, however late."
    ).tag(config=True)
    extensions = Unicode(
        "",
        help="A CSV file with the columns student and either hours (of extension) or until (a "
        "due time of its own, UTC unless it names a zone); a column assignment narrows a row to "
        "one assignment.",
    ).tag(config=True)

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """The penalty for a notebook; called by nbgrader when it has graded it."""
        step = self.parent
        if not isinstance(step, AssignLatePenalties):
            return self.taken(total_seconds_late) * score or None
        submission = step.gradebook.find_submission(step.assignment_id, student_id)
        return self.share(submission) * score or None

    def taken(self, seconds_late: float) -> float:
        """The share of the score that lateness takes, from 0 to 1."""
        seconds = seconds_late - 60 * self.grace_minutes
        if seconds <= 0:
            return 0.0
        days = math.ceil(seconds_late / DAY)
        return min(days * self.percent_per_day, 100 - self.floor_percent) / 100

    def share(self, submission: SubmittedAssignment) -> float:
        """The share of a submission's score that lateness takes, extensions included.

        Raises:
            ValueError: if the file with the extensions cannot be used.
        """
        due, time = submission.duedate, submission.timestamp
        if due is None or time is None:
            return 0.0
        given = read_extensions(self.extensions, submission.name).get(submission.student_id, 0.0)
        until = due + timedelta(hours=given) if isinstance(given, float) else max(due, given)
        return self.taken((time - until).total_seconds())


def refresh(gradebook: Gradebook, assignment: str, config: Config) -> None:
    """Sets all penalties of an assignment anew, from the marks as they are now.

    nbgrader sets them when a notebook is graded by the machine, and a mark that a person sets
    afterwards leaves them behind.

    Does nothing unless `LatePenalty` is the course's plugin for late submissions.

    Args:
        gradebook: the open gradebook.
        assignment: the assignment's name.
        config: the course's configuration.

    Raises:
        ValueError: if the file with the extensions cannot be used.
    """
    step = AssignLatePenalties(config=config)
    step.init_plugin()
    rules = step.plugin_inst
    entry = next((a for a in gradebook.assignments if a.name == assignment), None)
    if not isinstance(rules, LatePenalty) or entry is None:
        return
    known = {student.id for student in gradebook.students}
    for student in read_extensions(rules.extensions, assignment).keys() - known:
        print(
            f"{rules.extensions}: the gradebook has no student {student!r}, whose extension "
            "counts for nobody; check its spelling.",
            file=sys.stderr,
        )
    for submission in entry.submissions:
        share = rules.share(submission)
        for notebook in submission.notebooks:
            penalty = round(share * max(0.0, notebook.score), 6)
            notebook.late_submission_penalty = penalty or None
    gradebook.db.commit()


def read_extensions(file: str, assignment: str) -> dict[str, float | datetime]:
    """Extensions by student: hours, or a time in UTC without time zone as nbgrader has it.

    Args:
        file: the CSV file; `""` for none.
        assignment: rows for other assignments are left out.

    Raises:
        ValueError: if the file cannot be read; the message names file and line.
    """
    if not file:
        return {}
    found: dict[str, float | datetime] = {}
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"The extensions in {file} cannot be read: {error}.") from None
    reader = csv.DictReader(text.splitlines())
    if "student" not in (reader.fieldnames or ()):
        raise ValueError(f"{file} has no column student; it needs student and hours or until.")
    for row in reader:
        if (row.get("assignment") or assignment) != assignment:
            continue
        hours, until = (row.get("hours") or "").strip(), (row.get("until") or "").strip()
        student = (row["student"] or "").strip()
        try:
            if not student or bool(hours) == bool(until):
                raise ValueError("give a student, and either hours or until")
            found[student] = _hours(hours) if hours else _utc(until)
        except ValueError as error:
            raise ValueError(f"{file}, line {reader.line_num}: {error}.") from None
    return found


def _hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = math.nan
    if not 0 <= hours < 1e5:
        raise ValueError(f"hours is {text!r}; give a number of hours, for example 48")
    return hours


def _utc(text: str) -> datetime:
    try:
        time = parse_utc(text)
    except (ValueError, OverflowError):
        raise ValueError(
            f"until is {text!r}; give a time, for example 2026-03-12 18:00 UTC"
        ) from None
    return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
