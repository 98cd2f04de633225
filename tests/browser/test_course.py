"""An assignment's whole way in JupyterLab, through the exchange, from both sides."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nbformat
from nbgrader.utils import get_username
from playwright.sync_api import FrameLocator, Page, expect

from graders.grading import answers
from graders.grading.course import Course
from tests.bank import answers as bank
from tests.browser.lab import ASSIGNMENT, RELEASE
from tests.browser.page import Notebook, assignment_list, barriers, formgrader

NOTEBOOK = "1-discounted-returns"
QUIZ = "5-quiz"


def press(grader: FrameLocator, button: str) -> None:
    """Presses one of the formgrader's buttons and waits until it says that it has worked."""
    grader.locator(f"td.{button} a").first.click()
    modal = grader.locator(".modal.in")
    expect(modal.locator(".modal-title")).to_have_text("Success")
    modal.get_by_role("button", name="Close").last.click()
    expect(modal).to_have_count(0)


def marks(course: Course, student: str) -> dict[str, tuple[float | None, float]]:
    """For each graded cell its automatic mark and the mark that counts."""
    with course.gradebook() as gradebook:
        submission = gradebook.find_submission(ASSIGNMENT, student)
        return {
            grade.name: (grade.auto_score, grade.score)
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


def answer(exercise: str, kind: str, name: str) -> dict[str, str]:
    return next(a.cells for a in bank(exercise, kind) if a.path.stem == name)


def classmate_hands_in(course: Course, student: str) -> None:
    """Another student's right answers, collected already."""
    folder = course.folder("submitted", student, ASSIGNMENT)
    folder.mkdir(parents=True)
    for notebook, cells in (
        (NOTEBOOK, answer("returns", "right", "textbook")),
        (QUIZ, answer("quiz", "right", "as_asked")),
    ):
        released = nbformat.read(RELEASE / f"{notebook}.ipynb", as_version=4)
        nbformat.write(answers.fill(released, cells), folder / f"{notebook}.ipynb")


def work(page: Page, student: str) -> None:
    """Opens what was fetched, looks, answers with a misconception in each notebook, and saves."""
    notebook = Notebook(page, student, f"{ASSIGNMENT}/{NOTEBOOK}.ipynb")
    notebook.run("import jax")
    notebook.run("NotImplementedError")
    expect(notebook.run("1 point: the example above")).to_contain_text("not attempted")
    wrong = answer("returns", "wrong", "ignores_dones_unused")["discounted_returns"]
    notebook.write("NotImplementedError", wrong)
    notebook.run("def discounted_returns")
    expect(notebook.run("1 point: the example above")).to_contain_text("episodes are never cut")
    notebook.save()
    quiz = Notebook(page, student, f"{ASSIGNMENT}/{QUIZ}.ipynb")
    quiz.write("q1 =", 'q1 = "c"')
    quiz.save()


def test_an_assignment_goes_round(
    page: Page, instructor: str, student: str, course: Course, desk: Path
) -> None:
    me = get_username()

    # The source, with its points visible beside it.
    Notebook(page, instructor, f"source/{ASSIGNMENT}/{NOTEBOOK}.ipynb")
    page.get_by_role("tab", name="Create Assignment").click()
    expect(page.locator(".nbgrader-TotalPointsInput")).to_have_value("10")

    # Generated and released by the formgrader's buttons.
    grader = formgrader(page, instructor)
    press(grader, "assign")
    for name in (NOTEBOOK, QUIZ):
        made = course.root / "release" / ASSIGNMENT / f"{name}.ipynb"
        assert made.read_bytes() == (RELEASE / f"{name}.ipynb").read_bytes()
    press(grader, "release")

    # Fetched and submitted in the student's Assignment List.
    assignment_list(page, student)
    page.get_by_role("button", name="Fetch", exact=True).click()
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_visible()
    work(page, student)
    submitted = assignment_list(page, student)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(submitted).to_contain_text(ASSIGNMENT)

    # Collected, and graded by the button.
    grader = formgrader(page, instructor)
    press(grader, "collect")
    grader.locator("td.num-submissions a").click()
    press(grader, "autograde")
    by_button = marks(course, me)
    assert by_button["quiz-q1"] == (0, 0)
    assert 0 < sum(score for _, score in by_button.values()) < 10

    # A mark set by hand.
    page.goto(instructor.format(path=f"formgrader/gradebook/{ASSIGNMENT}/{NOTEBOOK}"))
    page.locator("td.name a:visible").first.click()
    expect(page.locator("body")).to_contain_text("episodes are never cut")
    by_hand = page.locator("input#returns-example")
    page.wait_for_function("formgrader.grades.loaded")  # only then is a change of it saved
    by_hand.fill("0.5")
    with page.expect_response(lambda response: response.request.method == "PUT"):
        by_hand.press("Tab")

    # The command grades everybody, comes to the same marks as the button, and leaves the one set
    # by hand.
    classmate_hands_in(course, "zoe")
    command = [sys.executable, "-m", "graders.grading.cli", "autograde", ASSIGNMENT]
    options = ["--force", "--jobs", "1"]
    subprocess.run([*command, *options], cwd=course.root, check=True, stdout=subprocess.DEVNULL)
    assert by_button["returns-example"] == (0, 0)
    assert marks(course, me) == {**by_button, "returns-example": (0, 0.5)}
    assert sum(score for _, score in marks(course, "zoe").values()) == 26

    # The students: the marks of those who handed in, and one who is added.
    page.goto(instructor.format(path="formgrader/manage_students"))
    expect(page.get_by_role("row", name="zoe")).to_contain_text("26 / 26")
    page.get_by_text("Add new student...").click()
    page.locator("#add-student-modal input.id").fill("yan")
    page.locator("#add-student-modal button.save").click()
    expect(page.get_by_role("row", name="yan")).to_contain_text("0 / 26")

    # Feedback, there and back.
    page.goto(instructor.format(path=f"formgrader/manage_submissions/{ASSIGNMENT}"))
    press(page, "generate-feedback")
    press(page, "release-feedback")
    submitted = assignment_list(page, student)
    expect(submitted).to_contain_text("feedback available")
    page.get_by_role("button", name="Fetch Feedback").click()
    expect(submitted).to_contain_text("view feedback")
    (told,) = (desk / ASSIGNMENT / "feedback").iterdir()
    body = page.locator("body")
    for name, words, width in (
        (NOTEBOOK, "episodes are never cut", 390),
        (QUIZ, "quiz/wrong", 1280),
    ):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(student.format(path=f"files/{(told / name).relative_to(desk)}.html"))
        expect(body).to_contain_text(words)
        expect(body).not_to_contain_text("4177")
        assert barriers(page) == []
        if name == NOTEBOOK:
            expect(body).to_contain_text(re.compile(r"0\.5\s*/\s*1"))
