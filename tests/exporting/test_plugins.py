from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin
from traitlets.config import Config

from graders.exporting import CanvasExport, FullExport, MoodleExport, sheets


def exported(
    gradebook: Gradebook, kind: type[ExportPlugin], path: Path, **settings: object
) -> list[list[str]]:
    """What a spreadsheet or an importer reads."""
    config = Config()
    config.ExportPlugin.to = str(path)
    config[kind.__name__].update(settings)
    kind(config=config).export(gradebook)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, strict=True))


def test_canvas(gradebook: Gradebook, tmp_path: Path) -> None:
    """As `lib/gradebook_importer.rb` of canvas-lms reads it."""
    head, points, *rows = exported(gradebook, CanvasExport, tmp_path / "x.csv", ids={"loops": 7})
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "loops (7)"]
    assert points == ["    Points Possible", "", "", "", "", "10"]
    found = {row[3]: (row[0], row[1], row[5]) for row in rows}
    assert found == {
        "ada": ("Lovelace, Countess, Ada", "101", "10"),
        "björn": ('\'=HYPERLINK(1), Björn "B"', "102", "0"),
        "'+cara": ("明\nName, 李", "", "1.5"),
        "dan": ("dan", "", ""),
        "eve": ("'@cmd, Eve", "105", ""),
    }
    assert {len(row) for row in rows} == {6}


def test_moodle(gradebook: Gradebook, tmp_path: Path) -> None:
    """As `grade/import/csv/classes/load_data.php` of Moodle reads it: `-` is no mark."""
    head, *rows = exported(gradebook, MoodleExport, tmp_path / "x.csv")
    assert head == [
        "Username", "First name", "Last name", "Email address", "Assignment: loops (Real)",
    ]  # fmt: skip
    assert {row[0]: row[4] for row in rows} == {
        "ada": "10", "björn": "0", "'+cara": "1.5", "dan": "-", "eve": "-",
    }  # fmt: skip
    # Moodle gives a row without a user to the one before it.
    assert all(row[0] for row in rows)
    assert rows[[row[0] for row in rows].index("'+cara")][3] == "'-c@example.org"


def test_full(gradebook: Gradebook, tmp_path: Path) -> None:
    head, *rows = exported(gradebook, FullExport, tmp_path / "x.csv")
    table = {row[1]: dict(zip(head, row, strict=True)) for row in rows}
    assert [table[name]["status"] for name in ("ada", "'+cara", "dan", "eve")] == [
        "graded", "partly graded", "missing", "to grade",
    ]  # fmt: skip
    assert table["ada"]["two/check-b"] == "8"
    assert table["ada"]["two/check-b status"] == "graded"
    assert (table["'+cara"]["two/check-b"], table["'+cara"]["two/check-b status"]) == (
        "", "to grade",
    )  # fmt: skip
    assert (table["dan"]["score"], table["dan"]["one/check-a status"]) == ("", "")
    assert (table["dan"]["late_penalty"], table["ada"]["late_penalty"]) == ("", "0")
    assert table["ada"]["handed_in"] == "2026-03-10 12:00:00"
    assert table["dan"]["max_score"] == "10"


def test_a_mark_set_by_hand_counts(gradebook: Gradebook, tmp_path: Path) -> None:
    grade = gradebook.find_grade("check-b", "two", "loops", "ada")
    grade.manual_score, grade.extra_credit = 5.0, 0.5
    gradebook.db.commit()
    head, *rows = exported(gradebook, FullExport, tmp_path / "x.csv", student=["ada"])
    [row] = rows
    found = dict(zip(head, row, strict=True))
    assert (found["score"], found["two/check-b"], found["two/check-b status"]) == (
        "7.5", "5.5", "by hand",
    )  # fmt: skip


@pytest.mark.parametrize("kind", [CanvasExport, MoodleExport, FullExport])
def test_missing_is_zero_only_if_asked(
    gradebook: Gradebook, tmp_path: Path, kind: type[ExportPlugin]
) -> None:
    before = exported(gradebook, kind, tmp_path / "x.csv", student=["dan", "eve"])
    after = exported(
        gradebook, kind, tmp_path / "x.csv", student=["dan", "eve"], missing_is_zero=True
    )
    changed = [
        (old, new)
        for one, other in zip(before, after, strict=True)
        for old, new in zip(one, other, strict=True)
        if old != new
    ]
    # Dan handed nothing in; Eve's work is there and waits to be graded.
    assert changed == [("-" if kind is MoodleExport else "", "0")]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"student": ["nobody"]}, "no student 'nobody'"),
        ({"assignment": ["x"]}, "no assignment 'x'"),
    ],
)
def test_what_does_not_exist_is_named(
    gradebook: Gradebook, tmp_path: Path, settings: dict[str, object], reason: str
) -> None:
    with pytest.raises(SystemExit, match=reason):
        exported(gradebook, FullExport, tmp_path / "x.csv", **settings)
    assert not (tmp_path / "x.csv").exists()


def test_an_export_that_cannot_be_written_is_said(gradebook: Gradebook, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"x\.csv cannot be written .*--to"):
        exported(gradebook, FullExport, tmp_path / "file" / "x.csv")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\tx", "'\tx"),
        ("\r=1", "'\r=1"), ("  =1", "'  =1"), ("＝1", "'＝1"), ("a=1", "a=1"), ("-", "-"),
        (-1.5, "-1.5"), (3.0, "3"), (1 / 3, "0.3333333333"), (None, ""), ("\0a", "a"),
        ("\ud800", "?"),
    ],
)  # fmt: skip
def test_a_cell_is_never_a_formula(value: sheets.Value, text: str) -> None:
    assert sheets.safe(value) == text


def test_nbgrader_finds_the_plugins(template: Path, tmp_path: Path) -> None:
    """By the command line that the documentation gives."""
    command = [
        sys.executable, "-m", "nbgrader", "export", "--exporter=graders.exporting.CanvasExport",
        f"--db=sqlite:///{template}", f"--to={tmp_path / 'canvas.csv'}",
        "--assignment=['loops']", "--CanvasExport.missing_is_zero=True",
    ]  # fmt: skip
    root = Path(__file__).parent.parent.parent
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        command, check=True, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert f"Wrote {tmp_path / 'canvas.csv'}" in done.stderr
    with (tmp_path / "canvas.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    assert ["dan", "", "", "dan", "", "0"] in rows
