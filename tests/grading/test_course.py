"""Releasing: what would give something away is not released."""

import nbformat
import pytest

from graders.grading.course import Course, CourseError, check_leaks, release


def rewrite(course, old, new):
    path = course.source_folder / "toy" / "toy.ipynb"
    notebook = nbformat.read(path, as_version=4)
    assert any(old in cell.source for cell in notebook.cells)
    for cell in notebook.cells:
        cell.source = cell.source.replace(old, new)
    nbformat.write(notebook, path)


def released(course):
    return (course.folder("release", ".", "toy") / "toy.ipynb").read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("### END HIDDEN TESTS", "", "toy cannot be released|marker of a hidden region"),
        (
            "from graders import observe, quiz",
            "from graders import observe, quiz\ndef double(x): return 2 * x",
            "double-plain comes to 2 points",
        ),
        ("assert shift(1e6) == 1e6 + 1", "pass", "shift-large comes to 1 points"),
        ("assert shift(1e6) == 1e6 + 1", "1 / 0", r"shift-large comes to 0 points \(failed\)"),
    ],
)  # fmt: skip
def test_a_leak_stops_the_release(course, old, new, told):
    before = released(course)
    rewrite(course, old, new)
    with pytest.raises(CourseError, match=told):
        release(course, "toy")
    assert released(course) == before
    assert [path.name for path in (course.root / "release").iterdir()] == ["toy"]


def test_a_release_is_the_same_each_time(course):
    before = released(course)
    release(course, "toy")
    assert released(course) == before


def test_unknown_assignment(course):
    for name in ("tox", "", "../toy/..", "*"):
        with pytest.raises(CourseError, match="There is no assignment"):
            release(course, name)


def test_no_course(tmp_path):
    with pytest.raises(CourseError, match="There is no folder"):
        Course(tmp_path / "nowhere")
    with pytest.raises(CourseError, match="has no folder source"):
        Course(tmp_path)
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\nc.x = 1 / 0\n")
    with pytest.raises(CourseError, match="cannot be read"):
        Course(tmp_path)


def test_a_hidden_line_that_would_be_shown(course):
    source = nbformat.read(course.source_folder / "toy" / "toy.ipynb", as_version=4)
    made = nbformat.reads(released(course).decode(), as_version=4)
    made.cells[0].source += "\nassert shift(31.0625) > 32"
    with pytest.raises(CourseError, match="would give away a line of a hidden region"):
        check_leaks(made, source, "toy.ipynb", course.settings())
    made.cells[0].source = "# A toy"
    made.cells[2].outputs = [nbformat.v4.new_output("stream", text="x")]
    with pytest.raises(CourseError, match="has outputs"):
        check_leaks(made, source, "toy.ipynb", course.settings())
