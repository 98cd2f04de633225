"""One small course, one browser, and JupyterLab as student and as instructor, for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from graders.grading.course import Course
from tests.browser import lab


@pytest.fixture(scope="module")  # while Playwright runs, no other event loop can
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = lab.launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        yield context.new_page()


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return lab.make_course(tmp_path_factory.mktemp("lab"), ("1-discounted-returns", "5-quiz"))


@pytest.fixture(scope="session")
def desk(course: Course) -> Path:
    """The folder that the student works in; `practice` holds released notebooks."""
    return course.root.parent / "student"


@pytest.fixture(scope="session")
def student(desk: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the student's JupyterLab."""
    with lab.serving(desk, tmp_path_factory.mktemp("student-home")) as address:
        yield address


@pytest.fixture(scope="session")
def instructor(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the instructor's JupyterLab."""
    with lab.serving(course.root, tmp_path_factory.mktemp("instructor-home")) as address:
        yield address
