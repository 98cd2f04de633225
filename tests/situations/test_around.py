"""What must hold around the class: the same marks by every way in, nothing left behind."""

import csv
import os
import re
import subprocess
import sys

import nbformat
import psutil
import pytest

from graders.grading import feedback, judge
from graders.grading.course import register
from graders.grading.judge import Settings, grade
from graders.grading.stubs import HIDDEN, released
from tests.situations import toy
from tests.situations.conftest import HONEST, REPOSITORY, Graded, autograde

FULL = {cell: float(points) for cell, points in toy.POINTS.items()}


def run(*command, cwd, **options):
    """Runs a command of this environment by its full path, the environment not on PATH."""
    environment = {**os.environ, "PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, env=environment, text=True, capture_output=True,
        check=False, **options,
    )  # fmt: skip


# --- the same marks by every way in -------------------------------------------------------

PLAIN = (
    "honest-1", "O'Brien, Zoë", "answer-pasted-twice", "answer-deleted", "renamed-by-a-browser",
    "in-a-folder-of-its-own", "zero-bytes", "a-link-to-somebody-elses", "links-beside-it",
    "os-exit", "patches-numpy-and-builtins",
)  # fmt: skip


@pytest.fixture(scope="module")
def plain(graded, course_copy):
    """Some students, graded by nbgrader's own command."""
    course = course_copy(*PLAIN)
    # Without a notebook beside it, nbgrader would not see this one's folder at all.
    folder = course.folder("submitted", "in-a-folder-of-its-own", "toy")
    (folder / "scratch.ipynb").write_text("{}")
    register(course, "toy")
    done = run("-m", "nbgrader", "autograde", "toy", cwd=course.root)
    assert done.returncode == 0, done.stderr
    return course


@pytest.mark.parametrize("student", PLAIN)
def test_plain_nbgrader_agrees(graded, plain, student):
    assert toy.booked(plain, student) == graded.marks(student)


def test_links_are_not_followed(plain):
    kept = plain.folder("autograded", "links-beside-it", "toy")
    assert [path.name for path in kept.iterdir()] == ["toy.ipynb"]


def test_feedback_keeps_hidden_tests(plain):
    assert feedback.generate_one(str(plain.root), "toy", "answer-deleted") == ""
    page = plain.folder("feedback", "answer-deleted", "toy") / "toy.html"
    text = re.sub(r"<[^>]*>", "", page.read_text())
    assert "hidden tests: not shown" in text
    assert not [secret for secret in (toy.SECRET, "hush", "HIDDEN TESTS") if secret in text]
    config = plain.root / "nbgrader_config.py"
    config.write_text(config.read_text() + "c.RedactHiddenTests.reveal = True\n")
    assert feedback.generate_one(str(plain.root), "toy", "answer-deleted") == ""
    assert toy.SECRET in re.sub(r"<[^>]*>", "", page.read_text())


# --- nothing of the tests goes to a kernel ------------------------------------------------


@pytest.mark.parametrize("notebook", ["toy", "1-discounted-returns", "5-quiz"])
def test_nothing_of_the_tests_is_sent(notebook, monkeypatch):
    kernels = []

    class Watched(judge.StudentKernel):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            kernels.append(self)

    monkeypatch.setattr(judge, "StudentKernel", Watched)
    path = REPOSITORY / "source" / "control-flow" / f"{notebook}.ipynb"
    source = toy.source() if notebook == "toy" else nbformat.read(path, as_version=4)
    _, rows = grade(nbformat.from_dict(source), source, Settings())
    assert all(row.status == "passed" for row in rows)
    [kernel] = kernels
    sent = "\n".join(kernel.sent)
    tests = [cell for cell in source.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    lines = {line.strip() for cell in tests for line in cell.source.splitlines()}
    words = {"oracle", "seed", "explain", "key=", "BEGIN HIDDEN", "check_"}
    assert len(lines) > 3
    assert not [text for text in (*lines, *words) if len(text) > 3 and text in sent]


def test_a_locked_cell_keeps_its_hidden_part(monkeypatch):
    source = toy.source()
    source.cells[1].source += "\n### BEGIN HIDDEN TESTS\ncode_word = 'hush'\n### END HIDDEN TESTS"
    sent = []

    class Watched(judge.StudentKernel):
        def close(self):
            sent.extend(self.sent)
            super().close()

    monkeypatch.setattr(judge, "StudentKernel", Watched)
    grade(nbformat.from_dict(source), source, Settings())
    assert sent
    assert "hush" not in "".join(sent)
    assert HIDDEN.search(source.cells[1].source)
    assert "hush" not in released(source).cells[1].source


# --- nothing is left behind ---------------------------------------------------------------


def test_no_folder_and_no_process_is_left(graded, scratch):
    left = [path.name for path in scratch.iterdir() if path.name.startswith(("graders-", "gk-"))]
    assert left == []
    running = [" ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"])]
    assert not [line for line in running if "time.sleep(1234567)" in line]


# --- a small class, graded, regraded, exported --------------------------------------------


@pytest.fixture(scope="module")
def small(graded, course_copy):
    """The students who have everything right, and one who has not, alone."""
    course = course_copy(*HONEST, "pasted-twice-and-wrong")
    return Graded(course, autograde(course))


def _without_seconds(rows):
    return {cell: (row.status, row.score, row.findings, row.note) for cell, row in rows.items()}


@pytest.mark.parametrize("student", HONEST)
def test_the_same_alone_as_in_the_class(graded, small, student):
    assert _without_seconds(small.rows[student]) == _without_seconds(graded.rows[student])


def test_a_second_run_does_nothing(small):
    again = autograde(small.course)
    assert (again.graded, again.skipped) == ([], len(HONEST) + 1)
    assert again.rows == small.report.rows


def test_the_export_opens_in_a_spreadsheet(small):
    root = small.course.root
    done = run("-m", "nbgrader", "export", cwd=root)
    assert done.returncode == 0, done.stderr
    with (root / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    formula = "'=SUM(A1)"
    assert rows.keys() == {*HONEST, formula, "pasted-twice-and-wrong"} - {"=SUM(A1)"}
    assert {row["score"] for name, row in rows.items() if name in (*HONEST, formula)} == {"10"}
    ledger = (root / "ledger" / "toy.jsonl").read_text(encoding="utf-8")
    assert all(name in ledger for name in ("王 小明", "O'Brien, Zoë"))


# --- a class of its own for what changes it -----------------------------------------------
