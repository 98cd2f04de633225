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
from tests.browser.page import Notebook, formgrader, in_menu

NOTEBOOK = "1-discounted-returns"


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
        submission = gradebook.find_submission_notebook(NOTEBOOK, ASSIGNMENT, student)
        return {grade.name: (grade.auto_score, grade.score) for grade in submission.grades}


def hand_in(folder: Path) -> None:
    """Puts an answer with one misconception into the fetched notebook."""
    wrong = next(a for a in bank("returns", "wrong") if a.path.stem == "ignores_dones_unused")
    path = folder / f"{NOTEBOOK}.ipynb"
    nbformat.write(answers.fill(nbformat.read(path, as_version=4), wrong.cells), path)


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
    made = course.root / "release" / ASSIGNMENT / f"{NOTEBOOK}.ipynb"
    assert made.read_bytes() == (RELEASE / f"{NOTEBOOK}.ipynb").read_bytes()
    press(grader, "release")

    # Fetched and submitted in the student's Assignment List.
    page.goto(student.format(path="lab") + "&reset")
    in_menu(page, "Nbgrader", "Assignment List")
    page.get_by_role("button", name="Fetch", exact=True).click()
    submit = page.get_by_role("button", name="Submit", exact=True)
    expect(submit).to_be_visible()
    hand_in(desk / ASSIGNMENT)
    submit.click()
    submitted = page.locator("#submitted_assignments_list")
    expect(submitted).to_contain_text(ASSIGNMENT)

    # Collected, and graded by the button.
    grader = formgrader(page, instructor)
    press(grader, "collect")
    grader.locator("td.num-submissions a").click()
    press(grader, "autograde")
    by_button = marks(course, me)
    assert 0 < sum(score for _, score in by_button.values()) < 10

    # A mark set by hand.
    page.goto(instructor.format(path=f"formgrader/gradebook/{ASSIGNMENT}/{NOTEBOOK}"))
    page.locator("td.name a:visible").first.click()
    expect(page.locator("body")).to_contain_text("episodes are never cut")
    by_hand = page.locator("input#returns-example")
    by_hand.fill("0.5")
    with page.expect_response(lambda response: response.request.method == "PUT"):
        by_hand.press("Tab")

    # The command comes to the same marks as the button, and leaves the one set by hand.
    command = [sys.executable, "-m", "graders.grading.cli", "autograde", ASSIGNMENT]
    options = ["--force", "--jobs", "1"]
    subprocess.run([*command, *options], cwd=course.root, check=True, stdout=subprocess.DEVNULL)
    assert by_button["returns-example"] == (0, 0)
    assert marks(course, me) == {**by_button, "returns-example": (0, 0.5)}

    # Feedback, there and back.
    page.goto(instructor.format(path=f"formgrader/manage_submissions/{ASSIGNMENT}"))
    press(page, "generate-feedback")
    press(page, "release-feedback")
    page.goto(student.format(path="lab") + "&reset")
    in_menu(page, "Nbgrader", "Assignment List")
    expect(page.locator("#submitted_assignments_list")).to_contain_text("feedback available")
    page.get_by_role("button", name="Fetch Feedback").click()
    expect(page.locator("#submitted_assignments_list")).to_contain_text("view feedback")
    (told,) = (desk / ASSIGNMENT / "feedback").glob(f"*/{NOTEBOOK}.html")
    page.goto(student.format(path=f"files/{told.relative_to(desk)}"))
    expect(page.locator("body")).to_contain_text("episodes are never cut")
    expect(page.locator("body")).to_contain_text(re.compile(r"0\.5\s*/\s*1"))
    expect(page.locator("body")).not_to_contain_text("4177")
