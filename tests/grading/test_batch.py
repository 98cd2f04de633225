"""Grading a class: what is done again, what is not, and what a broken run leaves."""

import nbformat
import pytest

from graders.grading import feedback, ledger, writer
from graders.grading.course import Course, CourseError
from graders.grading.rows import graded_entry
from tests.grading.conftest import deadly, grade, marks
from tests.situations.conftest import hand_in
from tests.situations.toy import POINTS

FULL = {cell: (float(points), False) for cell, points in POINTS.items()}
GONE = dict.fromkeys(POINTS, (None, True))


def rows(course):
    """The ledger's rows by student."""
    found = {}
    for row in ledger.read(course.root / "ledger" / "toy.jsonl"):
        found.setdefault(row.student, {})[row.cell] = row
    return found


def statuses(course, student):
    return {row.status for row in rows(course)[student].values()}


def autograded(course, student):
    return course.folder("autograded", student, "toy") / "toy.ipynb"


def test_marks_and_ledger(course):
    report = grade(course)
    assert report.graded == [("ada", "toy"), ("bob", "toy")]
    assert not report.changes
    assert marks(course, "ada") == FULL
    assert {row.score for row in rows(course)["bob"].values() if "double" in row.cell} == {0.0}
    assert report.rows == ledger.read(course.root / "ledger" / "toy.jsonl")


def test_only_what_changed_is_graded_again(course):
    grade(course)
    assert grade(course).graded == []
    hand_in(course, "bob")
    report = grade(course)
    assert report.graded == [("bob", "toy")]
    assert report.changes == [
        ("bob", "toy", "double-plain", 0.0, 2.0), ("bob", "toy", "double-traced", 0.0, 1.0)
    ]  # fmt: skip
    (course.folder("submitted", "bob", "toy") / "data.txt").write_text("1")
    assert grade(course).graded == [("bob", "toy")]
    assert grade(course, students=["ada"], force=True).graded == [("ada", "toy")]


def test_whoever_kills_workers_costs_nobody_else(course):
    for student in ("cleo", "dan", "eve"):
        hand_in(course, student)
    log = []
    report = grade(course, pool=deadly("bob", log=log))
    assert [student for student, _, _ in report.failures] == ["bob"]
    assert len(report.graded) == 4
    assert all(marks(course, student) == FULL for student in ("ada", "cleo", "dan", "eve"))
    # The first time together; then alone, and the others not with it.
    assert log[0] == ["ada", "bob", "cleo", "dan"]
    assert all(students == ["bob"] for students in log[1:] if "bob" in students)


def test_a_regrade_that_breaks_off_leaves_no_mark_looking_fresh(course):
    grade(course)
    page = course.folder("feedback", "ada", "toy") / "toy.html"
    page.parent.mkdir(parents=True)
    page.write_text("10 of 10")
    report = grade(course, pool=deadly("ada"), force=True, students=["ada"])
    assert report.failures == [("ada", "toy", "BrokenProcessPool: a worker died")]
    assert marks(course, "ada") == GONE
    assert statuses(course, "ada") == {"crashed"}
    assert all("grade again" in row.note for row in rows(course)["ada"].values())
    text = nbformat.read(autograded(course, "ada"), as_version=4).cells[0].source
    assert "grading broke off (BrokenProcessPool: a worker died)" in text
    assert not page.exists()
    # The next run tries again by itself.
    assert grade(course).graded == [("ada", "toy")]
    assert marks(course, "ada") == FULL


def test_a_run_that_is_interrupted_leaves_no_mark_looking_fresh(course, monkeypatch):
    grade(course)

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade(course, force=True, progress=interrupt)
    assert rows(course) == {}
    done, other = autograded(course, "ada"), autograded(course, "bob")
    assert [done.exists(), other.exists()] == [True, False]
    assert marks(course, "ada") == FULL
    assert marks(course, "bob") == GONE
    report = grade(course)
    assert report.graded == [("bob", "toy")]
    assert rows(course).keys() == {"ada", "bob"}


@pytest.mark.parametrize("where", ["sanitise", "save", "begin"])
def test_an_error_on_this_side_costs_one_notebook(course, monkeypatch, where):
    grade(course)
    stock = getattr(writer.Writer, where)

    def broken(self, student, *arguments):
        if student == "ada":
            raise OSError("the disk is full")
        return stock(self, student, *arguments)

    monkeypatch.setattr(writer.Writer, where, broken)
    hand_in(course, "cleo")
    report = grade(course, force=True)
    assert report.failures == [("ada", "toy", "OSError: the disk is full")]
    assert {student for student, _ in report.graded} == {"bob", "cleo"}
    assert marks(course, "ada") == GONE
    assert statuses(course, "ada") == {"crashed"}


def test_a_timestamp_that_is_none_costs_one_student(course):
    (course.folder("submitted", "bob", "toy") / "timestamp.txt").write_text("yesterday?")
    report = grade(course)
    assert [student for student, _, _ in report.failures] == ["bob"]
    assert "timestamp.txt of the submission holds no time ('yesterday?')" in report.failures[0][2]
    assert marks(course, "ada") == FULL
    assert statuses(course, "bob") == {"crashed"}


def test_a_notebook_that_is_withdrawn(course):
    grade(course)
    (course.folder("submitted", "ada", "toy") / "toy.ipynb").unlink()
    grade(course)
    assert {score for score, _ in marks(course, "ada").values()} == {0.0}
    assert statuses(course, "ada") == {"missing"}
    assert not autograded(course, "ada").exists()


def test_marks_set_by_hand_are_kept_and_flagged(course):
    grade(course)
    with course.gradebook() as gradebook:
        grade_ = gradebook.find_grade("double-plain", "toy", "toy", "bob")
        grade_.manual_score, grade_.extra_credit = 1.5, 0.5
        gradebook.db.commit()
    report = grade(course, force=True)
    assert report.hand_set == [("bob", "toy", "double-plain", 1.5)]
    with course.gradebook() as gradebook:
        grade_ = gradebook.find_grade("double-plain", "toy", "toy", "bob")
        assert (grade_.score, grade_.needs_manual_grade) == (2.0, True)


def test_a_test_is_mended_after_grading(course):
    """Before and after are shown, what was set by hand stays, and old feedback goes."""
    grade(course)
    assert feedback.generate_one(str(course.root), "toy", "bob") == ""
    page = course.folder("feedback", "bob", "toy") / "toy.html"
    with course.gradebook() as gradebook:
        gradebook.find_grade("q1-answer", "toy", "toy", "bob").manual_score = 0.5
        gradebook.db.commit()
    path = course.source_folder / "toy" / "toy.ipynb"
    path.write_text(
        path.read_text().replace("[0, 2, 4]", "[0, 1, 2]").replace("== 2 * 31", "== 31")
    )
    assert page.exists()
    report = grade(Course(course.root), students=["bob"])
    assert report.changes == [("bob", "toy", "double-plain", 0.0, 2.0)]
    assert report.hand_set == [("bob", "toy", "q1-answer", 0.5)]
    assert not page.exists()
    assert marks(course, "bob")["q1-answer"] == (2.0, True)
    assert feedback.generate_one(str(course.root), "toy", "bob") == ""
    assert page.exists()


@pytest.mark.parametrize("student", ["zoe", "../ada", "*", "", "a b;c"])
def test_a_student_who_is_not_there(course, student):
    with pytest.raises(CourseError, match="There is no submission of"):
        grade(course, students=[student])
    assert not (course.root / "ledger").exists()


def test_a_linked_folder_is_refused(course):
    target = course.folder("submitted", "eve", "toy")
    target.parent.mkdir()
    target.symlink_to("../ada/toy")
    grade(course)
    assert statuses(course, "eve") == {"unreadable"}
    assert {score for score, _ in marks(course, "eve").values()} == {0.0}
    assert "is a link" in rows(course)["eve"]["q1-answer"].note


def test_the_ledger_can_go_elsewhere(course, tmp_path):
    path = tmp_path / "elsewhere" / "rows.jsonl"
    report = grade(course, ledger_path=path)
    assert ledger.read(path) == report.rows
    assert graded_entry(autograded(course, "ada"))["digest"]
