"""The source notebooks are proved: full marks through nbgrader, and the release is what they give.

One course is made for all of these tests: a copy of the repository's source, with the source
notebooks themselves handed in as a submission, and one in which every exercise is broken.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from graders.grading.course import Course, release

ROOT = Path(__file__).parent.parent
ASSIGNMENT = "control-flow"
POINTS = {
    "1-discounted-returns": 10,
    "2-bounded-newton": 10,
    "3-segment-softmax": 10,
    "4-piecewise-switch": 10,
    "5-quiz": 16,
}

# In each notebook one line of the solution, and what it is changed to.
BREAK = {
    "1-discounted-returns": ("reverse=True", "reverse=False"),
    "2-bounded-newton": ("length=30", "length=3"),
    "3-segment-softmax": ("jnp.exp(", "jnp.exp2("),
    "4-piecewise-switch": ("lax.switch(", "lax.switch(1 - "),
    "5-quiz": ('q1 = "d"', 'q1 = "c"'),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A released course with the two submissions, graded by plain `nbgrader autograde`."""
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "source", root / "source")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    course = Course(root)
    release(course, ASSIGNMENT)
    for student in ("solved", "broken"):
        folder = course.folder("submitted", student, ASSIGNMENT)
        folder.mkdir(parents=True)
        for path in sorted((root / "source" / ASSIGNMENT).glob("*.ipynb")):
            notebook = nbformat.read(path, as_version=4)
            if student == "broken":
                old, new = BREAK[path.stem]
                solutions = [
                    c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("solution")
                ]
                assert any(old in cell.source for cell in solutions), path.stem
                for cell in solutions:
                    cell.source = cell.source.replace(old, new)
            nbformat.write(notebook, folder / path.name)
    run = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", ASSIGNMENT],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return course


def marks(course: Course, student: str) -> dict[str, tuple[float, float]]:
    """(mark, maximum) of each notebook, from the gradebook."""
    with Gradebook(course.directory.db_url, course.directory.course_id) as gradebook:
        submission = gradebook.find_submission(ASSIGNMENT, student)
        return {n.name: (n.score, n.max_score) for n in submission.notebooks}


def test_the_source_earns_full_marks(course: Course) -> None:
    assert marks(course, "solved") == {name: (most, most) for name, most in POINTS.items()}


def test_a_broken_solution_loses_marks(course: Course) -> None:
    for name, (mark, most) in marks(course, "broken").items():
        assert mark < most, name


def test_the_committed_release_is_what_the_source_gives(course: Course) -> None:
    made = course.folder("release", ".", ASSIGNMENT)
    committed = ROOT / "release" / ASSIGNMENT
    names = sorted(path.name for path in made.iterdir())
    assert names == sorted(path.name for path in committed.iterdir())
    for name in names:
        assert (made / name).read_bytes() == (committed / name).read_bytes(), (
            f"{name} has changed; run `make release` and commit the result."
        )


def test_hidden_tests_carry_a_third_of_each_exercise() -> None:
    for path in sorted((ROOT / "source" / ASSIGNMENT).glob("*.ipynb")):
        cells = [
            cell
            for cell in nbformat.read(path, as_version=4).cells
            if cell.metadata.get("nbgrader", {}).get("grade")
        ]
        hidden = sum(c.metadata.nbgrader.points for c in cells if "BEGIN HIDDEN TESTS" in c.source)
        assert 3 * hidden >= sum(c.metadata.nbgrader.points for c in cells), path.stem


def test_cells_have_ids_of_their_own_and_no_outputs() -> None:
    for path in sorted((ROOT / "source" / ASSIGNMENT).glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        ids = [cell.id for cell in notebook.cells]
        assert len(ids) == len(set(ids)), path.stem
        for cell in notebook.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            assert grade_id in (None, cell.id), path.stem
            assert not cell.get("outputs"), path.stem
