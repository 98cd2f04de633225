"""What checks and pictures look like in JupyterLab, in both themes and on a narrow screen."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.bank import answers
from tests.browser.page import Notebook, barriers, in_submenu

CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")

ANSWERS = {
    "returns": ("textbook", "ignores_dones_unused"),
    "newton": ("textbook", "counts_idle_every_step"),
    "softmax": ("plain", "no_max"),
    "piecewise": ("reference-like", "order-index-from-one"),
}
"""For each exercise a right answer, and a wrong one that replaces some or all of its cells."""

SHOW = """
from graders import newton, softmax
from graders import piecewise as piecewise_checks
returns.show(discounted_returns)
newton.show(newton_sqrt_scan, "scan")
newton.show(newton_sqrt_while, "while")
softmax.show(segment_softmax)
piecewise_checks.show(piecewise)
piecewise_checks.show(piecewise_select, "select")
"""

SLOW = """def segment_softmax(scores, seg, num_segments):
    import os, time

    while not os.path.exists("compiled"):
        time.sleep(0.1)
    return scores
"""
"""Takes as long as a compilation may, until the test has seen enough."""


def wrong(exercise: str) -> str:
    """A wrong answer to all of an exercise, in one piece."""
    cells: dict[str, str] = {}
    for kind, name in zip(("right", "wrong"), ANSWERS[exercise], strict=True):
        cells |= next(a.cells for a in answers(exercise, kind) if a.path.stem == name)
    return "\n\n".join(cells.values())


def in_each_theme(page: Page, shown: Locator, within: str) -> None:
    """Asserts that everybody can read what is shown, in light and dark."""
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        in_submenu(page, "Settings", "Theme", theme)
        expect(page.locator(f"body[data-jp-theme-name='{theme}']")).to_be_attached()
        for number in range(shown.count()):
            assert shown.nth(number).evaluate(f"element => ({CONTRAST})(element, 4.5)") == []
        assert barriers(page, within) == []


def test_a_check_says_that_it_works_and_its_result_is_readable_everywhere(
    page: Page, student: str, desk: Path
) -> None:
    notebook = Notebook(page, student, "practice/3-segment-softmax.ipynb")
    notebook.run("import jax")
    notebook.write("NotImplementedError", SLOW)
    notebook.run("def segment_softmax")
    check = notebook.start("softmax.check_values")
    expect(check.get_by_role("status")).to_have_text("… segment_softmax – values: working")
    (desk / "practice" / "compiled").touch()
    shown = check.locator(".graders-result")
    expect(shown.locator("section")).not_to_have_count(0)
    expect(check.get_by_role("status")).to_have_count(0)
    in_each_theme(page, shown, ".graders-result")
    assert shown.locator("th:not([scope])").count() == 0
    # JupyterLab's own side bars leave the output some 350 pixels of it, as on a phone.
    page.set_viewport_size({"width": 780, "height": 900})
    assert shown.evaluate("e => e.scrollWidth - e.clientWidth") <= 0


def test_pictures_of_each_exercise_are_told_in_words_and_readable(page: Page, student: str) -> None:
    notebook = Notebook(page, student, "practice/1-discounted-returns.ipynb")
    notebook.run("import jax")
    notebook.add("import jax", "\n\n".join(["# pictures", *map(wrong, ANSWERS), SHOW]))
    shown = notebook.run("# pictures").locator(".graders-picture")
    expect(shown).to_have_count(SHOW.count(".show("))
    for number, title in enumerate(SHOW.split(".show(")[1:]):
        picture = shown.nth(number)
        expect(picture).to_contain_text(title.partition(")")[0].partition(",")[0])
        image = picture.locator("img")
        assert image.evaluate("image => image.naturalWidth") > 500
        assert len(image.get_attribute("alt") or "") > 40
        expect(picture.locator("ul").first).to_contain_text("asked for")
    in_each_theme(page, shown, ".graders-picture")
