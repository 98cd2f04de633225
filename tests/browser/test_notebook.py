"""A student at work in JupyterLab: what checks and nbgrader's Validate say."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.bank import answers
from tests.browser.page import Notebook, barriers, close, in_submenu

EXAMPLE = "1 point: the example above"
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")


def answer(kind: str, name: str) -> str:
    """An answer of the bank to exercise 1."""
    return next(
        a.cells["discounted_returns"] for a in answers("returns", kind) if a.path.stem == name
    )


def test_a_check_teaches_until_the_answer_is_right(page: Page, student: str) -> None:
    notebook = Notebook(page, student, "practice/1-discounted-returns.ipynb")
    notebook.run("import jax")
    notebook.run("NotImplementedError")
    said = notebook.run(EXAMPLE)
    expect(said).to_contain_text("not attempted")
    expect(said).to_contain_text("There is no answer yet.")

    notebook.write("NotImplementedError", answer("wrong", "ignores_dones_unused"))
    notebook.run("def discounted_returns")
    said = notebook.run(EXAMPLE)
    expect(said.locator("caption")).to_have_text("✗ discounted_returns – values: failed")
    for words in ("episodes are never cut", "[3.25, 4.5, 5, 4]", "[2, 2, 5, 4]", "Try next:"):
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

    notebook.write("def discounted_returns", answer("right", "textbook"))
    notebook.restart_and_run_all()
    for text in ("1 point: the example", "3 points: the values", "2 points: one lax.scan",
                 "1 point: jax.jit", "1 point: the dtype", "2 points: the gradients"):  # fmt: skip
        expect(notebook.output(text)).to_contain_text(": passed")
    dialog = notebook.validate()
    expect(dialog).to_contain_text("Success! Your notebook passes all the tests.")
    close(dialog)

    # Drawn beside the reference, and told in words.
    notebook.add(EXAMPLE, "returns.show(discounted_returns)")
    shown = notebook.run("returns.show(").locator(".graders-picture")
    assert shown.locator("img").evaluate("image => image.naturalWidth") > 500
    assert len(shown.locator("img").get_attribute("alt") or "") > 40
    expect(shown).to_contain_text("scan")
    assert barriers(page, ".graders-picture") == []


def test_the_quiz_tells_the_form_of_an_answer_and_not_whether_it_is_right(
    page: Page, student: str
) -> None:
    notebook = Notebook(page, student, "practice/5-quiz.ipynb")
    notebook.run("import jax")
    cell, check = "q1 =", 'quiz.check_form("q1"'
    notebook.run(cell)
    expect(notebook.run(check)).to_contain_text("not attempted")
    notebook.write(cell, 'q1 = "x"')
    notebook.run(cell)
    expect(notebook.run(check)).to_contain_text("quiz/form")
    # "c" is wrong, and the visible check keeps that to itself.
    notebook.write(cell, 'q1 = "c"')
    notebook.run(cell)
    expect(notebook.run(check)).to_contain_text(": passed")


def test_a_result_is_readable_in_both_themes_and_on_a_narrow_screen(
    page: Page, student: str
) -> None:
    notebook = Notebook(page, student, "practice/3-segment-softmax.ipynb")
    notebook.run("import jax")
    notebook.write(
        "NotImplementedError", "segment_softmax = lambda scores, seg, num_segments: scores"
    )
    notebook.run("segment_softmax = lambda")
    shown = notebook.run("softmax.check_values").locator(".graders-result")
    expect(shown.locator("section")).not_to_have_count(0)
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        in_submenu(page, "Settings", "Theme", theme)
        expect(page.locator(f"body[data-jp-theme-name='{theme}']")).to_be_attached()
        assert shown.evaluate(f"element => ({CONTRAST})(element, 4.5)") == []
        assert barriers(page, ".graders-result") == []
    assert shown.locator("th:not([scope])").count() == 0
    # JupyterLab's own side bars leave the output some 350 pixels of it, as on a phone.
    page.set_viewport_size({"width": 780, "height": 900})
    assert shown.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
