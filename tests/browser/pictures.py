"""Takes the pictures of the documentation anew: `make pictures`."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from graders.grading import answers, batch, feedback
from graders.grading.course import Course, release
from graders.grading.pools import local
from tests.bank import answers as bank
from tests.browser import lab
from tests.browser.page import Notebook, close

FOLDER = lab.ROOT / "docs" / "img"
NOTEBOOK = "1-discounted-returns"
EXAMPLE = "1 point: the example above"


def main() -> None:
    """Takes all pictures and says where they are."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = lab.launch(playwright)
        in_the_notebook(browser, Path(scratch))
        on_a_phone(browser, Path(scratch))
        browser.close()
    for path in sorted(FOLDER.glob("*.png")):
        print(f"{path.stat().st_size / 1000:6.0f} kB  {path.relative_to(lab.ROOT)}")


def in_the_notebook(browser: Browser, scratch: Path) -> None:
    """A check that fails, show's picture, Validate's dialog, and a check that passes."""
    course = lab.make_course(scratch, (NOTEBOOK,))
    home = scratch / "home"
    home.mkdir()
    with lab.serving(course.root.parent / "student", home) as address:
        page = browser.new_page(viewport={"width": 1180, "height": 900})
        notebook = Notebook(page, address, f"practice/{NOTEBOOK}.ipynb")
        notebook.run("import jax")
        notebook.write("NotImplementedError", _source("wrong", "ignores_dones_unused"))
        notebook.run("def discounted_returns")
        notebook.run(EXAMPLE)
        _take(notebook.cell(EXAMPLE), "check-failing")
        notebook.add(EXAMPLE, "returns.show(discounted_returns)")
        notebook.run("returns.show(discounted_returns)")
        _take(notebook.cell("returns.show(discounted_returns)"), "picture-of-an-answer")
        dialog = notebook.validate()
        _take(dialog.locator(".jp-Dialog-content"), "validate-dialog")
        close(dialog)
        notebook.write("def discounted_returns", _source("right", "textbook"))
        notebook.run("def discounted_returns")
        notebook.run("2 points: one lax.scan")
        _take(notebook.cell("2 points: one lax.scan"), "check-passing")
        page.close()


def on_a_phone(browser: Browser, scratch: Path) -> None:
    """The feedback page of a submission with a finding, on a screen of 390 × 844 pixels."""
    course = Course(scratch / "course")
    release(course, lab.ASSIGNMENT)
    submitted = course.folder("submitted", "student", lab.ASSIGNMENT)
    submitted.mkdir(parents=True)
    released = course.folder("release", ".", lab.ASSIGNMENT) / f"{NOTEBOOK}.ipynb"
    cells = {"discounted_returns": _source("wrong", "ignores_dones_unused")}
    filled = answers.fill(nbformat.read(released, as_version=4), cells)
    nbformat.write(filled, submitted / released.name)
    batch.autograde(course, lab.ASSIGNMENT, pool=lambda: local(1))
    with ThreadPoolExecutor(1) as executor:
        feedback.generate(course, lab.ASSIGNMENT, ["student"], executor)
    (told,) = course.folder("feedback", "student", lab.ASSIGNMENT).glob("*.html")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(told.as_uri())
    _show(page, "episodes are never cut")
    page.screenshot(path=FOLDER / "feedback-on-a-phone.png")
    page.close()


def _source(kind: str, name: str) -> str:
    return next(a.cells["discounted_returns"] for a in bank("returns", kind) if a.path.stem == name)


def _take(what: Locator, name: str) -> None:
    what.screenshot(path=FOLDER / f"{name}.png", animations="disabled")


def _show(page: Page, text: str) -> None:
    page.get_by_text(text).first.evaluate("e => { e.scrollIntoView(); scrollBy(0, -260) }")


if __name__ == "__main__":
    main()
