"""What a person does in JupyterLab, in one call each."""

from __future__ import annotations

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FrameLocator, Locator, Page, expect

PATIENCE = 45_000
"""Milliseconds; never a verdict on speed, only an end to waiting on a busy machine."""

expect.set_options(timeout=PATIENCE)


def in_menu(page: Page, menu: str, item: str) -> None:
    """Chooses an item of the main menu."""
    page.locator("#jp-MainMenu .lm-MenuBar-itemLabel", has_text=menu).first.click()
    page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()


def assignment_list(page: Page, address: str) -> Locator:
    """Opens a student's Assignment List; returns its submitted assignments."""
    page.goto(address.format(path="lab") + "&reset")
    in_menu(page, "Nbgrader", "Assignment List")
    return page.locator("#submitted_assignments_list")


def in_submenu(page: Page, menu: str, submenu: str, item: str) -> None:
    """Chooses an item of a menu inside a menu."""
    page.locator("#jp-MainMenu .lm-MenuBar-itemLabel", has_text=menu).first.click()
    page.locator(".lm-Menu-itemLabel").get_by_text(submenu, exact=True).hover()
    page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()


def formgrader(page: Page, address: str) -> FrameLocator:
    """Opens the formgrader inside JupyterLab."""
    page.goto(address.format(path="lab"))
    in_menu(page, "Nbgrader", "Formgrader")
    return page.frame_locator("iframe")


def barriers(page: Page, within: str | None = None) -> list[str]:
    """What axe-core finds that keeps people with disabilities from using a page.

    Args:
        page: the page.
        within: a selector of the part to look at; the whole page if `None`.
    """
    found = Axe().run(page, context=within).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


_WANTED = (Path(__file__).parent / "keyboard.js").read_text(encoding="utf-8")
_FOCUSED = """() => {
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
  const outlined = outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  return [document.activeElement.dataset.walk, outlined || boxShadow !== "none"];
}"""


def walk(page: Page) -> list[str]:
    """Goes through a page by Tab alone, from its top.

    Returns:
        What cannot be reached, and what does not show that it has the focus.
    """
    wanted = page.evaluate(_WANTED)
    visible: dict[int, bool] = {}
    for _ in wanted:
        page.keyboard.press("Tab")
        number, seen = page.evaluate(_FOCUSED)
        if number is not None:
            visible[int(number)] = seen
    return [
        f"{'unseen' if number in visible else 'out of reach'}: {markup}"
        for number, markup in enumerate(wanted)
        if not visible.get(number)
    ]


class Notebook:
    """A notebook that is open in JupyterLab.

    Args:
        page: the browser's page.
        address: the server's address, as `lab.serving` yields it.
        path: the notebook's path under the server's folder.
    """

    def __init__(self, page: Page, address: str, path: str) -> None:
        self.page = page
        page.goto(address.format(path=f"lab/tree/{path}") + "&reset")
        self.panel = page.locator(".jp-NotebookPanel")
        expect(self.panel.locator(".jp-CodeCell").first).to_be_visible()
        self._has_come_to_rest()

    def cell(self, text: str) -> Locator:
        """The code cell with this text in its source."""
        source = self.page.locator(".jp-InputArea", has_text=text)
        return self.panel.locator(".jp-CodeCell").filter(has=source)

    def output(self, text: str) -> Locator:
        """What the cell with this text shows below it."""
        return self.cell(text).locator(".jp-OutputArea")

    def start(self, text: str) -> Locator:
        """Has the cell with this text run; returns where it shows what comes of it."""
        self.cell(text).locator(".jp-InputPrompt").click()
        self.page.keyboard.press("Control+Enter")
        return self.output(text)

    def run(self, text: str) -> Locator:
        """Runs the cell with this text and waits for its end."""
        prompt = self.cell(text).locator(".jp-InputPrompt")
        before = prompt.inner_text()
        self.start(text)
        expect(prompt).not_to_have_text(before)
        self._has_come_to_rest()
        return self.output(text)

    def write(self, text: str, source: str) -> None:
        """Replaces the source of the cell with this text, by typing."""
        self.cell(text).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)

    def add(self, text: str, source: str) -> None:
        """Writes a new cell below the one with this text."""
        self.cell(text).locator(".jp-InputPrompt").click()
        self.page.keyboard.press("b")
        self.page.keyboard.press("Enter")
        self.page.keyboard.insert_text(source)
        expect(self.cell(source.partition("\n")[0])).to_be_visible()

    def validate(self) -> Locator:
        """Presses Validate, by keyboard; returns its dialog."""
        self.panel.locator(".jp-Toolbar").get_by_role("button", name="Validate").press("Enter")
        dialog = self.page.locator(".jp-Dialog")
        expect(dialog).to_contain_text("Validation Results")
        return dialog

    def restart_and_run_all(self) -> None:
        """Restarts the kernel and runs every cell, of which none may fail."""
        in_menu(self.page, "Kernel", "Restart Kernel and Run All Cells…")
        dialog = self.page.locator(".jp-Dialog")
        dialog.get_by_role("button", name="Confirm Kernel Restart").click()
        prompts = self.panel.locator(".jp-CodeCell .jp-InputPrompt")
        expect(prompts).to_have_text([f"[{n}]:" for n in range(1, prompts.count() + 1)])
        self._has_come_to_rest()
        expect(self.panel.locator("[data-mime-type*=error]")).to_have_count(0)

    def save(self) -> None:
        """Saves the notebook."""
        self.page.keyboard.press("Control+s")
        expect(self.page.locator(".jp-mod-dirty")).to_have_count(0)

    def _has_come_to_rest(self) -> None:
        """Waits until the kernel is idle and no cell is waiting for it."""
        expect(self.panel.locator(".jp-InputPrompt", has_text="[*]")).to_have_count(0)
        expect(self.page.locator("#jp-bottom-panel")).to_contain_text("| Idle")


def close(dialog: Locator) -> None:
    """Leaves a dialog by its OK button, which has the focus."""
    expect(dialog.get_by_role("button", name="Ok")).to_be_focused()
    dialog.page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
