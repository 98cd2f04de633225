"""The report's data as tidy CSV: one observation a row, for those who have their own tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graders.exporting import sheets
from graders.reporting.choices import Choices
from graders.reporting.classroom import Classroom
from graders.reporting.stats import Item, Misunderstanding


def write(
    folder: Path,
    room: Classroom,
    ranking: Sequence[Misunderstanding],
    items: Sequence[Item],
    choices: Sequence[Choices],
) -> list[Path]:
    """Writes the tables into a folder, made if it does not exist.

    Returns:
        The files: `marks.csv` (a row for each student and check), `findings.csv` (for each
        student, check and finding), `misunderstandings.csv`, `items.csv` and `answers.csv` (for
        each student and question of the quiz).
    """
    tables: dict[str, tuple[Sequence[str], list[Sequence[sheets.Value]]]] = {
        "marks": (
            ("student", "notebook", "check", "status", "score", "max_score", "by_hand", "stale",
             "seconds", "note"),
            [
                (m.row.student, m.row.notebook, m.row.cell, m.row.status, m.score,
                 m.row.max_score, m.by_hand, int(m.stale), m.row.seconds, m.row.note)
                for m in room.marks
            ],
        ),
        "findings": (
            ("student", "notebook", "check", "finding"),
            [
                (m.row.student, m.row.notebook, m.row.cell, code)
                for m in room.marks
                for code in m.row.findings
            ],
        ),
        "misunderstandings": (
            ("finding", "question", "notebook", "students", "of", "section", "example"),
            [
                (r.code, r.question, r.notebook, len(r.students), r.of, r.section,
                 r.example.headline if r.example else "")
                for r in ranking
            ],
        ),
        "items": (
            ("notebook", "check", "answered", "of", "difficulty", "discrimination", "reason",
             "flags"),
            [
                (i.notebook, i.cell, i.answered, i.of, i.difficulty, i.discrimination, i.reason,
                 "; ".join(i.flags))
                for i in items
            ],
        ),
        "answers": (
            ("student", "question", "answer"),
            [
                (student, choice.question.name, answer)
                for choice in choices
                for student, answer in choice.answers
            ],
        ),
    }  # fmt: skip
    paths = []
    for name, (header, rows) in tables.items():
        path = folder / f"{name}.csv"
        sheets.write(path, header, rows)
        paths.append(path)
    return paths
