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
from graders.lab import desks
from tests.bank import answers as bank
from tests.browser.lab import ASSIGNMENT, RELEASE
from tests.browser.page import Notebook, assignment_list, barriers, close, formgrader, walk

NOTEBOOK = "1-discounted-returns"
QUIZ = "5-quiz"


EXAMPLE = "1 point: the example above"


def press(grader: FrameLocator, button: str, row: str = ASSIGNMENT) -> None:
    """Presses one of the formgrader's buttons and waits until it says that it has worked."""
    grader.locator("tr", has_text=row).locator(f"td.{button} a").click()
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


def total(given: dict[str, tuple[float | None, float]]) -> float:
    """The marks of a submission, summed up."""
    return sum(score for _, score in given.values())


def answer(exercise: str, kind: str, name: str) -> dict[str, str]:
    return next(a.cells for a in bank(exercise, kind) if a.path.stem == name)


def classmate_hands_in(course: Course, student: str) -> None:
    """A classmate who misunderstood exercise 1, collected already."""
    folder = course.folder("submitted", student, ASSIGNMENT)
    folder.mkdir(parents=True)
    for notebook, cells in (
        (NOTEBOOK, answer("returns", "wrong", "ignores_dones_unused")),
        (QUIZ, answer("quiz", "right", "as_asked")),
    ):
        released = nbformat.read(RELEASE / f"{notebook}.ipynb", as_version=4)
        nbformat.write(answers.fill(released, cells), folder / f"{notebook}.ipynb")
    desks.stamp(folder)


def solve(page: Page, student: str) -> None:
    """Exercise 1 as fetched: no answer, a wrong one, the right one, and all once more."""
    notebook = Notebook(page, student, f"{ASSIGNMENT}/{NOTEBOOK}.ipynb")
    notebook.run("import jax")
    notebook.run("NotImplementedError")
    said = notebook.run(EXAMPLE)
    expect(said).to_contain_text("not attempted")
    expect(said).to_contain_text("There is no answer yet.")

    wrong = answer("returns", "wrong", "ignores_dones_unused")["discounted_returns"]
    notebook.write("NotImplementedError", wrong)
    notebook.run("def discounted_returns")
    said = notebook.run(EXAMPLE)
    expect(said.locator("caption")).to_have_text("✗ discounted_returns – values: failed")
    for words in ("episodes are never cut", "[3.25, 4.5, 5, 4]", "[2, 2, 5, 4]", "Try next:",
                  "See it: returns.show(discounted_returns)"):  # fmt: skip
        expect(said).to_contain_text(words)
    # One line, not a traceback through the machinery.
    expect(said.locator(".jp-OutputArea-output").last).to_have_text(
        "CheckFailed: discounted_returns, values: failed (returns/ignores-dones)"
    )
    dialog = notebook.validate()
    expect(dialog).to_contain_text("✗ episodes are never cut  [returns/ignores-dones]")
    expect(dialog).to_contain_text("Try next: Multiply G_{t+1} by (1 − d_t)")
    words = dialog.inner_text()
    assert "Traceback" not in words and "graders/" not in words and ".py" not in words
    close(dialog)

    right = answer("returns", "right", "textbook")["discounted_returns"]
    notebook.write("def discounted_returns", right)
    dialog = notebook.validate()
    expect(dialog).to_contain_text("Success! Your notebook passes all the tests.")
    close(dialog)
    notebook.restart_and_run_all()
    for text in ("1 point: the example", "3 points: the values", "2 points: one lax.scan",
                 "1 point: jax.jit", "1 point: the dtype", "2 points: the gradients"):  # fmt: skip
        expect(notebook.output(text)).to_contain_text(": passed")
    notebook.save()


def answer_quiz(page: Page, student: str) -> None:
    """The quiz as fetched: nothing tells whether an answer is right before it is marked."""
    quiz = Notebook(page, student, f"{ASSIGNMENT}/{QUIZ}.ipynb")
    cells = answer("quiz", "right", "as_asked") | {"q1": 'q1 = "x"'}
    quiz.run("import jax")
    quiz.run("q1 =")
    check = 'quiz.check_form("q1"'
    expect(quiz.run(check)).to_contain_text("not attempted")
    for name, source in cells.items():
        quiz.write(f"{name} =", source)
    dialog = quiz.validate()
    expect(dialog).to_contain_text("q1 cannot be read as an answer")
    expect(dialog).to_contain_text('Write it like this: q1 = "a"')
    assert dialog.inner_text().count("The following cell failed") == 1
    close(dialog)

    # "c" is wrong, and passes for now like the right answers.
    quiz.write("q1 =", 'q1 = "c"')
    dialog = quiz.validate()
    expect(dialog).to_contain_text("Success! Your notebook passes all the tests.")
    close(dialog)
    quiz.restart_and_run_all()
    for number in range(1, 9):
        expect(quiz.output(f'quiz.check_form("q{number}"').locator("caption")).to_have_text(
            f"✓ q{number} – can be read (marked after you submit): passed"
        )
    quiz.save()


def test_an_assignment_goes_round(
    page: Page, instructor: str, student: str, course: Course, desk: Path
) -> None:
    me = get_username()

    # The source, with its points visible beside it.
    Notebook(page, instructor, f"source/{ASSIGNMENT}/{NOTEBOOK}.ipynb")
    page.get_by_role("tab", name="Create Assignment").click()
    expect(page.locator(".nbgrader-TotalPointsInput")).to_have_value("10")
    shown = page.locator(".nbgrader-CellPoints input:visible").evaluate_all(
        "inputs => inputs.map((input) => input.value)"
    )
    assert shown == ["1", "3", "2", "1", "1", "2"]

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
    solve(page, student)
    answer_quiz(page, student)
    submitted = assignment_list(page, student)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(submitted).to_contain_text(ASSIGNMENT)

    # Collected, and graded by the button.
    classmate_hands_in(course, "zoe")
    grader = formgrader(page, instructor)
    press(grader, "collect")
    grader.locator("td.num-submissions a").click()
    press(grader, "autograde", me)
    press(grader, "autograde", "zoe")
    by_button = {student: marks(course, student) for student in (me, "zoe")}
    assert total(by_button[me]) == 24
    assert by_button[me]["quiz-q1"] == (0, 0)
    assert 16 < total(by_button["zoe"]) < 26

    # A mark set by hand, beside what the student wrote and was told.
    page.goto(instructor.format(path=f"formgrader/gradebook/{ASSIGNMENT}/{QUIZ}"))
    page.get_by_role("row", name="14 / 16").locator("td.name a:visible").click()
    expect(page.locator("body")).to_contain_text("quiz/wrong")
    by_hand = page.locator("input#quiz-q1")
    page.wait_for_function("formgrader.grades.loaded")  # only then is a change of it saved
    by_hand.fill("0.5")
    with page.expect_response(lambda response: response.request.method == "PUT"):
        by_hand.press("Tab")

    # The command grades everybody, comes to the same marks as the button, and leaves the one set
    # by hand.
    command = [sys.executable, "-m", "graders", "autograde", ASSIGNMENT]
    options = ["--force", "--jobs", "1"]
    subprocess.run([*command, *options], cwd=course.root, check=True, stdout=subprocess.DEVNULL)
    assert marks(course, me) == {**by_button[me], "quiz-q1": (0, 0.5)}
    assert marks(course, "zoe") == by_button["zoe"]

    # The students: the marks of those who handed in, and one who is added.
    page.goto(instructor.format(path="formgrader/manage_students"))
    expect(page.get_by_role("row", name=me)).to_contain_text("24.5 / 26")
    page.get_by_text("Add new student...").click()
    page.locator("#add-student-modal input.id").fill("yan")
    page.locator("#add-student-modal button.save").click()
    expect(page.get_by_role("row", name="yan")).to_contain_text("0 / 26")

    # Feedback, there and back.
    grader = formgrader(page, instructor)
    press(grader, "generate-feedback")
    press(grader, "release-feedback")
    submitted = assignment_list(page, student)
    expect(submitted).to_contain_text("feedback available")
    page.get_by_role("button", name="Fetch Feedback").click()
    submitted.get_by_text("view feedback").first.click()
    page.locator(".jp-DirListing-item", has_text=f"{QUIZ}.html").dblclick()
    viewer = page.frame_locator(".jp-HTMLViewer iframe").locator("body")
    expect(viewer).to_contain_text("q1: c is not right")
    (folder,) = (desk / ASSIGNMENT / "feedback").iterdir()
    told = student.format(path=f"files/{folder.relative_to(desk)}/{{}}.html")
    classmates = instructor.format(path=f"files/feedback/zoe/{ASSIGNMENT}/{{}}.html")
    body = page.locator("body")
    for address, words, score, width in (
        (told.format(NOTEBOOK), "discounted_returns – values: passed", "10.0 / 10.0", 1280),
        (told.format(QUIZ), "quiz/wrong", "14.5 / 16.0", 1280),
        (classmates.format(NOTEBOOK), "episodes are never cut", "4.0 / 10.0", 390),
    ):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(address)
        expect(body).to_contain_text(words)
        expect(body).to_contain_text(f"(Score: {score})")
        expect(body).not_to_contain_text("4177")
        assert barriers(page) == []
        assert walk(page) == []
    # From a mark to its test by keyboard, and a hint unfolds.
    page.get_by_role("link", name="returns-gradient").press("Enter")
    expect(page).to_have_url(re.compile("#returns-gradient$"))
    page.locator("summary").first.press("Enter")
    expect(page.locator("details").first).to_have_attribute("open", "")
