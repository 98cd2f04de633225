"""`nbgrader export`, so that its file opens in a spreadsheet whatever people are called."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip
"""nbgrader's columns, in its order."""


class SpreadsheetExport(ExportPlugin):
    """Writes nbgrader's table of grades with commas and quotes in their place, in UTF-8."""

    def export(self, gradebook: Gradebook) -> None:
        """Writes the grades to `self.to`, by default `grades.csv`; called by nbgrader."""
        path = Path(self.to or "grades.csv")
        # The mark at the beginning tells spreadsheets that it is UTF-8.
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            for row in self._rows(gradebook):
                writer.writerow([_cell(row[column]) for column in COLUMNS])

    def _rows(self, gradebook: Gradebook) -> Iterator[dict[str, Any]]:
        for assignment in gradebook.assignments:
            if self.assignment and assignment.name not in map(str, self.assignment):
                continue
            for student in gradebook.students:
                if self.student and student.id not in map(str, self.student):
                    continue
                row = {
                    "assignment": assignment.name,
                    "duedate": assignment.duedate,
                    "student_id": student.id,
                    "last_name": student.last_name,
                    "first_name": student.first_name,
                    "email": student.email,
                    "max_score": assignment.max_score,
                    "timestamp": None,
                }
                score, penalty = 0.0, 0.0
                try:
                    submission = gradebook.find_submission(assignment.name, student.id)
                except MissingEntry:
                    pass
                else:
                    row["timestamp"] = submission.timestamp
                    score, penalty = submission.score, submission.late_submission_penalty
                row["raw_score"], row["late_submission_penalty"] = score, penalty
                row["score"] = max(0.0, score - penalty)
                yield row


def _cell(value: Any) -> str:
    """A value as text; a leading quote keeps a spreadsheet from taking it for a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
