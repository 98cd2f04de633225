"""One class in which every situation is a student, graded once for all tests."""

import functools
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest

from graders.grading import batch, pools
from graders.grading.course import Course, release
from tests.situations import cheating, files, running, toy  # noqa: F401 - they register cases
from tests.situations.cases import CASES

REPOSITORY = Path(__file__).parents[2]

HONEST = ("honest-1", "honest-2", "O'Brien, Zoë", "王 小明", '"Q" Quote', "=SUM(A1)")
"""Students who have everything right."""

# Little memory, so that what takes all of it does so soon: a new machine may give it slowly.
CONFIG = """
from graders.grading.config import configure
c = get_config()
c.CourseDirectory.course_id = "situations"
configure(c)
c.JudgeAnswers.call_timeout = 10.0
c.JudgeAnswers.notebook_timeout = 100.0
c.JudgeAnswers.memory_limit = 350
"""


def make_course(root):
    """A course with the toy as its only notebook, released."""
    folder = root / "source" / "toy"
    folder.mkdir(parents=True)
    nbformat.write(toy.source(), folder / "toy.ipynb")
    (root / "nbgrader_config.py").write_text(CONFIG)
    course = Course(root)
    release(course, "toy")
    return course


def hand_in(course, student, spoil=lambda submission: None):
    """Writes a right submission, changed by `spoil`."""
    folder = course.folder("submitted", student, "toy")
    folder.mkdir(parents=True, exist_ok=True)
    released = course.folder("release", ".", "toy") / "toy.ipynb"
    submission = toy.Submission(nbformat.read(released, as_version=4), folder)
    spoil(submission)
    submission.write()


def autograde(course, jobs=2, **options):
    """Grades the toy."""
    return batch.autograde(course, "toy", pool=functools.partial(pools.local, jobs), **options)


@dataclass
class Graded:
    """A graded course."""

    course: Course
    report: batch.Report
    rows: dict = field(default_factory=dict)

    def __post_init__(self):
        for row in self.report.rows:
            self.rows.setdefault(row.student, {})[row.cell] = row

    def marks(self, student):
        return {cell: row.score for cell, row in self.rows[student].items()}

    def in_gradebook(self, student):
        return toy.booked(self.course, student)

    def words(self, student):
        """All that teacher or student can read about a submission."""
        path = self.course.folder("autograded", student, "toy") / "toy.ipynb"
        text = "\n".join(row.note for row in self.rows[student].values())
        if path.exists():
            notebook = nbformat.read(path, as_version=4)
            for cell in notebook.cells:
                text += f"\n{cell.source}" if cell.cell_type == "markdown" else ""
                for output in cell.get("outputs", []):
                    text += "\n" + output.get("text", "") + output.get("evalue", "")
                    text += "\n" + output.get("data", {}).get("text/plain", "")
        return text


@pytest.fixture(scope="session")
def scratch(tmp_path_factory):
    """Where temporary files of this process and its children go, so that leftovers show."""
    folder = tmp_path_factory.mktemp("t")
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["TMPDIR"]
    else:
        os.environ["TMPDIR"] = before


@pytest.fixture(scope="session")
def graded(tmp_path_factory, scratch):
    """The class, graded."""
    course = make_course(tmp_path_factory.mktemp("class"))
    for student in HONEST:
        hand_in(course, student)
    for case in CASES:
        hand_in(course, case.name, case.spoil)
    # Most workers wait for something that does not come.
    return Graded(course, autograde(course, jobs=4))


# --- the count ----------------------------------------------------------------------------

_count = {"tried": 0, "lost": 0.0, "won": 0.0}


@pytest.fixture
def count():
    """Adds a situation to the count that is printed at the end."""

    def add(expected, marks):
        _count["tried"] += 1
        for cell, mark in expected.items():
            _count["lost"] += max(0.0, mark - marks.get(cell, 0.0))
            _count["won"] += max(0.0, marks.get(cell, 0.0) - mark)

    return add


def pytest_sessionfinish(session):
    # With pytest-xdist the tests run in another process than the one that reports.
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["situations"] = _count


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    for what, number in getattr(node, "workeroutput", {}).get("situations", {}).items():
        _count[what] += number


def pytest_terminal_summary(terminalreporter):
    if _count["tried"]:
        terminalreporter.write_line(
            f"situations tried: {_count['tried']}, marks lost: {_count['lost']:g}, "
            f"marks won by cheating: {_count['won']:g}"
        )


@pytest.fixture(scope="session")
def course_copy(graded, tmp_path_factory):
    """Makes a course of its own out of some students' submissions."""

    def make(*students):
        root = tmp_path_factory.mktemp("copy")
        for part in ("source", "release", ".graders-cache"):
            shutil.copytree(graded.course.root / part, root / part)
        shutil.copy(graded.course.root / "nbgrader_config.py", root)
        for student in students:
            copied = root / "submitted" / student / "toy"
            copied.mkdir(parents=True)
            for path in (graded.course.root / "submitted" / student / "toy").iterdir():
                if path.is_symlink() or path.is_fifo():
                    (copied / path.name).symlink_to("/etc/hostname")
                elif path.is_dir():
                    shutil.copytree(path, copied / path.name)
                else:
                    shutil.copy(path, copied)
        return Course(root)

    return make
