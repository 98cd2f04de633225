"""`nbgrader export`, so that its file opens in a spreadsheet whatever people are called."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from graders.exporting import sheets
from graders.exporting.sheets import Value

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip
"""nbgrader's columns, in its order."""


class SpreadsheetExport(ExportPlugin):
    """Writes nbgrader's own table of grades, with commas and quotes in their place, in UTF-8."""

    def export(self, gradebook: Gradebook) -> None:
        """Writes the grades to `self.to`, by default `grades.csv`; called by nbgrader."""
        sheets.write(Path(self.to or "grades.csv"), COLUMNS, self._rows(gradebook))

    def _rows(self, gradebook: Gradebook) -> Iterator[list[Value]]:
        for assignment in gradebook.assignments:
            if self.assignment and assignment.name not in map(str, self.assignment):
                continue
            for student in gradebook.students:
                if self.student and student.id not in map(str, self.student):
                    continue
                time, score, penalty = None, 0.0, 0.0
                try:
                    submission = gradebook.find_submission(assignment.name, student.id)
                except MissingEntry:
                    pass
                else:
                    time = submission.timestamp
                    score, penalty = submission.score, submission.late_submission_penalty
                yield [
                    assignment.name, str(assignment.duedate or ""), str(time or ""), student.id,
                    student.last_name, student.first_name, student.email, score, penalty,
                    max(0.0, score - penalty), assignment.max_score,
                ]  # fmt: skip
