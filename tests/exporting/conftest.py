from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

DUE = datetime(2026, 3, 10, 12, 0)

NAMES = {
    "ada": ("Ada", "Lovelace, Countess", "ada@example.org", "101"),
    "björn": ('Björn "B"', "=HYPERLINK(1)", "b@example.org", "102"),
    "+cara": ("李", "明\nName", "-c@example.org", None),
    "dan": (None, None, None, None),
    "eve": ("Eve", "@cmd", "e@example.org", "105"),
}
"""Names that break files: commas, quotes, formulas, line ends, other scripts, none at all."""


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gradebook of two notebooks with 2 + 8 points, which takes a while to make."""
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    with Gradebook(f"sqlite:///{path}") as gradebook:
        gradebook.add_assignment("loops", duedate=DUE)
        for notebook, cell, points in (("one", "check-a", 2), ("two", "check-b", 8)):
            gradebook.add_notebook(notebook, "loops")
            gradebook.add_grade_cell(cell, notebook, "loops", max_score=points, cell_type="code")
        for name, (first, last, email, number) in NAMES.items():
            gradebook.add_student(
                name, first_name=first, last_name=last, email=email, lms_user_id=number
            )
        marks: dict[str, tuple[float | None, float | None]] = {
            "ada": (2.0, 8.0), "björn": (0.0, 0.0), "+cara": (1.5, None), "eve": (None, None),
        }  # fmt: skip
        for name, pair in marks.items():
            gradebook.add_submission("loops", name, timestamp=DUE)
            for notebook, cell, mark in zip(
                ("one", "two"), ("check-a", "check-b"), pair, strict=True
            ):
                grade = gradebook.find_grade(cell, notebook, "loops", name)
                grade.auto_score = mark
        gradebook.db.commit()
    return path


@pytest.fixture
def gradebook(template: Path, tmp_path: Path) -> Iterator[Gradebook]:
    path = shutil.copy(template, tmp_path / "gradebook.db")
    with Gradebook(f"sqlite:///{path}") as opened:
        yield opened
