"""Plugins for `nbgrader export`: Canvas, Moodle, and a full table.

The shapes are those that the systems' own importers read (canvas-lms
`lib/gradebook_importer.rb`; moodle `grade/import/csv/classes/load_data.php`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Gradebook
from nbgrader.plugins import ExportPlugin
from traitlets import Bool, Dict, Unicode

from graders.exporting import late, sheets
from graders.exporting.marks import Line, line
from graders.exporting.sheets import Value


class _Export(ExportPlugin):
    """What the plugins have in common: whom, which assignments, and what is missing."""

    default_name = "grades.csv"

    missing_is_zero = Bool(
        False, help="Whether who handed nothing in gets 0 points rather than no mark."
    ).tag(config=True)

    def export(self, gradebook: Gradebook) -> None:
        """Writes the file; called by nbgrader.

        Raises:
            SystemExit: with a sentence, if an assignment or a student that was asked for does
                not exist, the file with the extensions cannot be used, or the export cannot
                be written.
        """
        try:
            self._export(gradebook)
        except ValueError as error:
            raise SystemExit(f"nbgrader export: {error}") from None
        except OSError as error:
            raise SystemExit(
                f"nbgrader export: {self.to or self.default_name} cannot be written "
                f"({error.strerror}); give another place as --to."
            ) from None

    def _export(self, gradebook: Gradebook) -> None:
        assignments = _chosen(gradebook.assignments, "name", self.assignment, "assignment")
        students = _chosen(gradebook.students, "id", self.student, "student")
        for assignment in assignments:
            late.refresh(gradebook, assignment.name, self.config)
        table = [[line(assignment, student) for assignment in assignments] for student in students]
        path = Path(self.to or self.default_name)
        self.write(path, assignments, table)
        self.log.info("Wrote %s", path)

    def write(
        self, path: Path, assignments: Sequence[Assignment], table: Sequence[Sequence[Line]]
    ) -> None:
        """Writes the file; each plugin has its own shape.

        Args:
            path: the file.
            assignments: the assignments.
            table: for each student a line for each assignment.
        """
        raise NotImplementedError

    def score(self, entry: Line) -> float | None:
        """The mark to export; `None` where there is none."""
        zero = self.missing_is_zero and entry.status == "missing"
        return 0.0 if zero else entry.score


def _chosen(entries: Sequence[Any], key: str, wanted: Sequence[object], what: str) -> list[Any]:
    names = [str(name) for name in wanted]
    known = {getattr(entry, key): entry for entry in entries}
    for name in names:
        if name not in known:
            raise ValueError(f"The gradebook has no {what} {name!r}; check its spelling.")
    return [entry for name, entry in known.items() if not names or name in names]


class CanvasExport(_Export):
    """A file for Canvas, Grades → Import.

    Canvas finds a student by its own ID (nbgrader's `lms_user_id`), then by the SIS login, which
    is the student's id here. No mark is an empty cell, which changes nothing in Canvas.
    """

    default_name = "canvas.csv"

    ids = Dict(
        {},
        help="Canvas' number of an assignment by its name here. Without it Canvas looks for an "
        "assignment of the same title, and offers to make one.",
    ).tag(config=True)
    section = Unicode("", help="What goes into the column Section.").tag(config=True)

    def write(
        self, path: Path, assignments: Sequence[Assignment], table: Sequence[Sequence[Line]]
    ) -> None:
        number = {str(name): value for name, value in self.ids.items()}
        titles = [
            f"{a.name} ({number[a.name]})" if a.name in number else a.name for a in assignments
        ]
        header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles]
        points: list[Value] = ["    Points Possible", "", "", "", ""]
        rows = [points + [float(assignment.max_score) for assignment in assignments]]
        for entries in table:
            student = entries[0].student if entries else None
            if student is not None:
                names = ", ".join(filter(None, (student.last_name, student.first_name)))
                rows.append(
                    [
                        names or student.id, student.lms_user_id, "", student.id, self.section,
                        *map(self.score, entries),
                    ]
                )  # fmt: skip
        sheets.write(path, header, rows)


class MoodleExport(_Export):
    """A file for Moodle, Grades → Import → CSV file: map from Username, to username.

    No mark is a hyphen, which is Moodle's own word for it, for new and for existing grade items.
    """

    default_name = "moodle.csv"

    def write(
        self, path: Path, assignments: Sequence[Assignment], table: Sequence[Sequence[Line]]
    ) -> None:
        header = ["Username", "First name", "Last name", "Email address", *(
            f"Assignment: {assignment.name} (Real)" for assignment in assignments
        )]  # fmt: skip
        rows: list[list[Value]] = []
        for entries in table:
            if entries:
                student = entries[0].student
                scores = [self.score(entry) for entry in entries]
                rows.append(
                    [
                        student.id, student.first_name, student.last_name, student.email,
                        *("-" if score is None else score for score in scores),
                    ]
                )  # fmt: skip
        sheets.write(path, header, rows)


class FullExport(_Export):
    """Everything: a row for each student and assignment, a mark and a status for each check."""

    default_name = "full.csv"

    def write(
        self, path: Path, assignments: Sequence[Assignment], table: Sequence[Sequence[Line]]
    ) -> None:
        checks = [
            (assignment.name, notebook.name, cell.name)
            for assignment in assignments
            for notebook in assignment.notebooks
            for cell in notebook.grade_cells
        ]
        several = len(assignments) > 1
        names = ["/".join(check if several else check[1:]) for check in checks]
        header = [
            "assignment", "student", "last_name", "first_name", "email", "lms_user_id",
            "handed_in", "status", "late_penalty", "score", "max_score",
            *(column for name in names for column in (name, f"{name} status")),
        ]  # fmt: skip
        sheets.write(path, header, self._rows(assignments, table, checks))

    def _rows(
        self,
        assignments: Sequence[Assignment],
        table: Sequence[Sequence[Line]],
        checks: Sequence[tuple[str, str, str]],
    ) -> Iterator[list[Value]]:
        for place, assignment in enumerate(assignments):
            for entries in table:
                entry = entries[place]
                student = entry.student
                row: list[Value] = [
                    assignment.name, student.id, student.last_name, student.first_name,
                    student.email, student.lms_user_id,
                    f"{entry.time:%Y-%m-%d %H:%M:%S}" if entry.time else None,
                    entry.status, None if entry.score is None else entry.penalty,
                    self.score(entry), float(assignment.max_score),
                ]  # fmt: skip
                for name, notebook, check in checks:
                    found = entry.checks.get((notebook, check)) if name == assignment.name else None
                    row += [found.score, found.status] if found else [None, None]
                yield row
