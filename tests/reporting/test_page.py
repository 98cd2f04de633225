from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from graders.findings import Finding, Outcome, Result
from graders.grading import ledger
from graders.grading.cli import main
from graders.grading.course import Course
from graders.report import to_html
from graders.reporting import graded, svg
from graders.reporting.classroom import Classroom, Mark, Student, anonymous
from graders.reporting.needs import needs
from tests import made_class
from tests.browser.page import barriers, walk


@pytest.fixture(scope="module")
def written(course: Course, room: Classroom, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page and the CSV files, compared with a run in which fewer had misunderstood."""
    folder = tmp_path_factory.mktemp("report")
    earlier = [
        mark.row
        for mark in room.marks
        if "returns/ignores-dones" not in mark.row.findings or mark.row.student < "s20"
    ]
    ledger.write(folder / "earlier.jsonl", earlier)
    status = main(
        [
            "report", "control-flow", "--course", str(course.root),
            "--out", str(folder / "report.html"), "--csv", str(folder / "csv"),
            "--since", str(folder / "earlier.jsonl"),
        ]
    )  # fmt: skip
    assert status == 0
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield browser
        browser.close()


def test_the_page_needs_nothing_from_anywhere(written: Path) -> None:
    page = (written / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!#)|url\(|@import|https?://", page)
    assert len(page) < 500_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_fits_and_sorts(written: Path, browser: Browser, width: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto((written / "report.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width == 1280:
        assert page.evaluate(
            "[...document.querySelectorAll('.scroll')]"
            ".filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.ariaLabel)"
        ) == []  # fmt: skip
    ranking = page.get_by_role("table", name="Most frequent first")
    codes = "tbody th code:first-of-type"
    order = ranking.locator(codes).all_inner_texts()
    told = [code for code, _, _ in made_class.expected()]
    assert [code for code in order if "/" in code] == told
    ranking.get_by_role("button", name="Students").click()
    ranking.get_by_role("button", name="Students").click()
    numbers = ranking.locator("tbody td:nth-child(2)").all_inner_texts()
    assert [int(text) for text in numbers] == sorted(n for _, _, n in made_class.expected())
    # And by keyboard.
    ranking.get_by_role("button", name="Students").press("Enter")
    assert ranking.locator("th").nth(1).get_attribute("aria-sort") == "descending"
    assert ranking.locator(codes).all_inner_texts() == order
    # The message of a misunderstanding opens.
    message = ranking.locator("details").first
    assert not message.locator(".message").is_visible()
    message.locator("summary").click()
    assert message.locator(".message").is_visible()
    assert trouble == []
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_out(written: Path, browser: Browser, scheme: str) -> None:
    """What axe-core finds, with everything unfolded."""
    context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto((written / "report.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert barriers(page) == []
    assert walk(page) == []
    context.close()


def test_colours_have_contrast(written: Path, browser: Browser) -> None:
    """WCAG's 4.5 to 1 for every text, in light and dark."""
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto((written / "report.html").as_uri())
        weakest = page.evaluate(
            """() => {
              const style = getComputedStyle(document.documentElement);
              const light = (name) => {
                const probe = document.createElement("i");
                probe.style.color = style.getPropertyValue(name);
                document.body.append(probe);
                const parts = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
                probe.remove();
                const [r, g, b] = parts.map((v) => {
                  const s = v / 255;
                  return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
                });
                return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
              };
              const ratio = (a, b) => Math.max(a, b) / Math.min(a, b);
              return Math.min(...["--ink", "--quiet", "--accent", "--flag", "--right"].flatMap(
                (name) => ["--paper", "--tint"].map((back) => ratio(light(name), light(back)))));
            }"""
        )
        assert weakest >= 4.5
        context.close()


def test_on_paper_nothing_is_folded(written: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((written / "report.html").as_uri())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("details:not([open])").count() == 0
    assert not page.locator("nav").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.close()


def test_an_earlier_run_is_compared(written: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((written / "report.html").as_uri())
    row = page.get_by_role("row", name="returns/ignores-dones").first
    before = sum(
        plan.answers.get("returns", "").startswith("returns/wrong/ignores")
        for plan in made_class.plans()
        if plan.student < "s20"
    )
    assert row.locator("td").last.inner_text() == str(before)
    page.close()


def test_csv_has_the_same_numbers(written: Path, room: Classroom) -> None:
    def read(name: str) -> list[dict[str, str]]:
        with (written / "csv" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file, strict=True))

    assert [
        (row["finding"], row["question"], int(row["students"])) for row in read("misunderstandings")
    ] == made_class.expected()
    marks = read("marks")
    assert len(marks) == len(room.marks)
    assert sum(float(row["score"]) for row in marks) == pytest.approx(
        sum(mark.score for mark in room.marks)
    )
    assert Counter(row["finding"] for row in read("findings")) == Counter(
        code for mark in room.marks for code in mark.row.findings
    )
    assert {row["answer"] for row in read("answers") if row["question"] == "q1"} == {"c", "d"}
    assert len(read("items")) == len({mark.row.cell for mark in room.marks})


def test_who_needs_a_person(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "control-flow", "--course", str(course.root)]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert lines["s01"].endswith("mark set by hand")
    assert "stale" in lines["s02"]
    assert "missing" in lines["t-missing"]
    assert lines["t-slow"].endswith("did not come back in time")
    assert lines["t-crashed"].endswith("ended the Python process")
    assert lines["t-unreadable"].endswith("cannot be read")
    assert lines["t-absent"].split()[1] == "no"
    assert lines["s03"].endswith("/ 56")
    assert lines["t-absent"].endswith("nothing was handed in")
    assert lines["t-missing"].endswith("a notebook is missing")
    assert lines["64"].startswith("64 of 65 have handed in")
    # As many as have something in the column `needs`.
    assert lines["64"].endswith("To look at by a person: 7.")


def test_what_is_not_graded_yet_is_said(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    path = course.folder("submitted", "t-late", "control-flow") / "5-quiz.ipynb"
    path.parent.mkdir(parents=True)
    source = course.folder("submitted", "s01", "control-flow") / "5-quiz.ipynb"
    path.write_bytes(source.read_bytes())
    try:
        assert main(["status", "control-flow", "--course", str(course.root)]) == 0
    finally:
        path.unlink()
        path.parent.rmdir()
        path.parent.parent.rmdir()
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("t-late")]
    assert "to grade" in line and "not graded since it was handed in" in line
    # A sum without that notebook would look like a mark.
    assert "/ 56" not in line and "/ 40" not in line


def test_checks_come_before_what_grading_says_of_them() -> None:
    marks = [
        Mark(ledger.Row("a", "n", cell, Outcome.CRASHED, 0.0, 1.0, note="signal 9"))
        for cell in ("one", "two", "three", "four", "five")
    ]
    [need] = needs(Classroom("x", ("n",), (Student("a"),), tuple(marks)))
    assert need.note == "one, two, three, four and 1 more: signal 9"


def test_an_anonymous_page_names_nobody(course: Course, tmp_path: Path) -> None:
    arguments = ["--out", str(tmp_path / "a.html"), "--csv", str(tmp_path), "--anonymous"]
    assert main(["report", "control-flow", "--course", str(course.root), *arguments]) == 0
    for path in tmp_path.iterdir():
        text = path.read_text(encoding="utf-8-sig")
        assert not re.search(r"\bs\d\d\b|t-crashed|t-missing|t-slow|t-absent|t-unreadable", text)
    marks = (tmp_path / "marks.csv").read_text(encoding="utf-8-sig")
    assert len(set(re.findall(r"^student \d\d", marks, re.MULTILINE))) == 64


def test_an_anonymous_message_holds_no_name(room: Classroom) -> None:
    finding = Finding("x/y", "it raises", came="NameError: s01 is not defined", why="because")
    [*_, told] = anonymous(
        Classroom(room.assignment, room.notebooks, room.students, (), (("s01", "n", "c", finding),))
    ).findings
    assert "s01" not in json.dumps(told[3].__dict__)
    assert told[3].why == "because"


def test_findings_are_read_back_as_they_were_told() -> None:
    finding = Finding(
        "returns/x", "a < b & 'c'", "x = [1, 2]", "nan\ninf", "[1]", "Because <i>.", 'Try "it".'
    )
    result = Result("f", "values", Outcome.FAILED, (finding, Finding("a/b", "only this")))
    assert list(graded.parse(to_html(result))) == [finding, Finding("a/b", "only this")]


def test_a_students_own_output_is_no_finding(tmp_path: Path) -> None:
    fake = to_html(Result("f", "v", Outcome.FAILED, (Finding("a/b", "forged"),)))
    output = {"output_type": "display_data", "data": {"text/html": fake}, "metadata": {}}
    row = ledger.Row("", "", "check", Outcome.PASSED, 1.0, 1.0)
    document = {
        "cells": [
            {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "f"}}, "source": "f = 1",
             "outputs": [output]},
            {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "check"}}, "source": "",
             "outputs": []},
        ],
        "metadata": {"graders": {"rows": [row.to_json()]}},
    }  # fmt: skip
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(document))
    read = graded.read(path)
    assert read is not None
    assert read.findings == ()
    assert read.code == (("f", "f = 1"),)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--since", "nothing.jsonl"], "cannot be read"),
        (["--since", "pyproject.toml"], "pyproject.toml, line 1"),
        (["--similar", "--anonymous"], "leave out --anonymous"),
        (["--out", "pyproject.toml/x.html"], "x.html cannot be written"),
    ],
)
def test_bad_input_gets_a_sentence(
    course: Course, arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("graders.reporting.similar.pairs", lambda *_: [])
    monkeypatch.chdir(made_class.ROOT)
    assert main(["report", "control-flow", "--course", str(course.root), *arguments]) == 2
    assert reason in capsys.readouterr().err


def test_a_histogram_says_its_numbers_in_words() -> None:
    picture = svg.histogram([0.0, 0.05, 0.95, 1.0, 0.3, 0.1 * 3], "Quiz <1>")
    assert "Quiz &lt;1&gt;" in picture
    assert "0 to 10 %: 2; 30 to 40 %: 2; 90 to 100 %: 2" in picture
    assert picture.count("<rect") == 3
