"""Results for readers: text, HTML, and what IPython makes of a check that fails."""

import json
import os
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from graders import report
from graders.findings import Finding, Outcome, Result
from graders.report import CheckFailed, Rendered, Waiting, mimebundle, summary, text, to_html

FINDING = Finding(
    "ex/wrong",
    "the values are not right",
    given="x = [1, 2, 3], y = 0.5",
    came="[1, 2]",
    expected="[1, 3]",
    why="they do not follow the formula. " * 8,
    next_step="Work it out by hand.",
    part="one",
)
PARTS = (("one", Outcome.FAILED), ("two", Outcome.PASSED))
FAILED = Result("f", "values", Outcome.FAILED, (FINDING,), PARTS)
PASSED = Result("f", "values", Outcome.PASSED, (), (("one", Outcome.PASSED),))
NASTY = "<script>alert(\"1\")</script> & 'x'"


def everywhere(body):
    """A result that has this text wherever text can be."""
    finding = Finding(*[body] * 8)
    return Result(body, body, Outcome.FAILED, (finding,), ((body, Outcome.FAILED),))


# --- text ---------------------------------------------------------------------------------


def test_the_text_says_everything():
    shown = text(FAILED)
    assert shown.startswith("✗ f – values: failed\n    ✗ one: failed\n    ✓ two: passed\n")
    flat = " ".join(shown.split())
    for part in (
        "✗ the values are not right [ex/wrong]", "Input: x = [1, 2, 3], y = 0.5",
        "Your answer: [1, 2]", "Expected: [1, 3]", "Why: they do not", "Try next: Work it out",
    ):  # fmt: skip
        assert part in flat


def test_a_pass_is_one_line():
    assert text(PASSED) == "✓ f – values: passed"


def test_what_is_empty_is_not_shown():
    bare = Result("f", "values", Outcome.FAILED, (Finding("ex/x", "no"),))
    assert text(bare) == "✗ f – values: failed\n\n✗ no  [ex/x]"


@pytest.mark.parametrize("body", ["word " * 60, "x" * 300, "a\n\nb " * 40], ids=len)
def test_text_is_at_most_80_columns_wide(body):
    assert max(map(len, text(everywhere(body)).splitlines())) <= 80
    assert max(map(len, text(FAILED).splitlines())) <= 80


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_words_and_a_sign(outcome):
    result = Result("f", "values", outcome, (), (("one", outcome),))
    for shown in (text(result), to_html(result)):
        assert outcome.value.replace("-", " ") in shown
        assert any(sign in shown for sign in "✓✗○")
    assert ("✓" in text(result)) == (outcome is Outcome.PASSED)


def test_the_summary_is_one_line_with_each_code_once():
    twice = Result("f", "values", Outcome.FAILED, (FINDING, FINDING), PARTS)
    assert summary(twice) == "f, values: failed (ex/wrong)"
    assert summary(PASSED) == "f, values: passed"
    assert summary(Result("f", "x", Outcome.NOT_ATTEMPTED)) == "f, x: not attempted"


# --- HTML ---------------------------------------------------------------------------------


class Reader(HTMLParser):
    """Collects tags, attributes and text, and checks that tags are closed in order."""

    def __init__(self, document):
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], [], []
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_html_says_in_words_what_the_text_says():
    read = Reader(to_html(FAILED))
    words = " ".join(" ".join(read.texts).split())
    for part in (
        "✗ f – values: failed", "one ✗ failed", "two ✓ passed", "✗ the values are not right",
        "ex/wrong", "Input x = [1, 2, 3], y = 0.5", "Your answer [1, 2]", "Expected [1, 3]", "Why:",
        "Try next:",
    ):  # fmt: skip
        assert part in words


def test_html_is_a_table_that_a_screen_reader_can_read():
    read = Reader(to_html(FAILED))
    assert {"caption", "thead", "th", "td"} <= set(read.tags)
    assert ("scope", "col") in read.attributes
    assert ("scope", "row") in read.attributes
    # Text keeps the theme's colour: nothing sets another one.
    styles = [value for name, value in read.attributes if name == "style"]
    assert not any("background" in style for style in styles)
    assert {part for style in styles for part in style.split(";") if part.startswith("color")} <= {
        "color:inherit"
    }


def test_nothing_from_outside_becomes_markup():
    read = Reader(to_html(everywhere(NASTY)))
    assert "script" not in read.tags
    assert not any(name.startswith("on") for name, _ in read.attributes)
    assert "".join(read.texts).count(NASTY) == 10


def test_one_result_in_both_forms():
    assert mimebundle(FAILED) == {"text/plain": text(FAILED), "text/html": to_html(FAILED)}
    assert Rendered(FAILED)._repr_mimebundle_(include=None, exclude=None) == mimebundle(FAILED)
    assert repr(Rendered(FAILED)) == text(FAILED)


# --- exceptions ---------------------------------------------------------------------------


def test_the_exception_says_all_where_there_is_no_notebook(capsys):
    with pytest.raises(CheckFailed) as caught:
        report.show(FAILED)
    assert str(caught.value) == text(FAILED)
    assert isinstance(caught.value, AssertionError)
    assert capsys.readouterr() == (text(FAILED) + "\n", "")


def test_in_a_notebook_one_line_is_left_of_the_traceback(monkeypatch):
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    assert CheckFailed(FAILED)._render_traceback_() == ["CheckFailed: f, values: failed (ex/wrong)"]


def test_validate_gets_the_whole_message(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert CheckFailed(FAILED)._render_traceback_() == text(FAILED).splitlines()


# --- waiting ------------------------------------------------------------------------------


class Shell:
    """What IPython's shell is in a kernel, as far as it matters here."""

    kernel = None


@pytest.fixture
def place(monkeypatch):
    """What a cell's output shows, one after the other, in a kernel's shell."""
    contents = []

    class Handle:
        def update(self, content, **_):
            contents.append(content)

    def display(content, display_id=None, **_):
        contents.append(content)
        return Handle() if display_id else None

    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr(report, "_shell", Shell)
    return contents


def test_in_a_notebook_the_result_takes_the_place_of_the_waiting(place):
    with Waiting("f – <values>") as waiting:
        [sentence] = place
        assert sentence["text/plain"] == "… f – <values>: working"
        assert sentence["text/html"] == '<p role="status">… f – &lt;values&gt;: working</p>'
    waiting.show(PASSED)
    assert [repr(content) for content in place[1:]] == [text(PASSED)]


def test_a_check_that_is_interrupted_leaves_nothing_behind(place):
    with pytest.raises(KeyboardInterrupt), Waiting("f – values"):
        raise KeyboardInterrupt
    assert place[1:] == [{"text/plain": "", "text/html": ""}]


@pytest.mark.parametrize("how", ["autograde", "validate", "graders"])
def test_where_nobody_looks_on_there_is_no_waiting(place, monkeypatch, how):
    if how == "graders":
        monkeypatch.setattr(Shell, "is_graded", True, raising=False)
    else:
        monkeypatch.setenv("NBGRADER_EXECUTION", how)
    with Waiting("f – values") as waiting:
        assert place == []
    waiting.show(PASSED)
    assert [repr(content) for content in place] == [text(PASSED)]


@pytest.mark.parametrize("terminal", [True, False])
def test_in_a_terminal_one_line_is_overwritten_and_elsewhere_there_is_none(
    monkeypatch, capsys, terminal
):
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    with Waiting("f – values") as waiting:
        pass
    waiting.show(PASSED)
    line = "… f – values: working\r\033[K" if terminal else ""
    assert capsys.readouterr() == (f"{line}{text(PASSED)}\n", "")


# --- in a real IPython --------------------------------------------------------------------

SESSION = """
import json, os, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
shell.colors = "nocolor"
replies = []
for cell in json.load(sys.stdin):
    with capture_output() as seen:
        done = shell.run_cell(cell, store_history=True)
    error = done.error_in_exec or done.error_before_exec
    replies.append({
        "stdout": seen.stdout,
        "stderr": seen.stderr,
        "shown": [output.data for output in seen.outputs],
        "error": error and type(error).__name__,
    })
json.dump(replies, sys.__stdout__)
"""
SETUP = """
import jax.numpy as jnp
from jax import lax
from graders import returns
"""
WRONG = """
def discounted_returns(rewards, dones, gamma):
    def body(g, r):
        g = r + gamma * g
        return g, g
    return lax.scan(body, jnp.zeros((), rewards.dtype), rewards, reverse=True)[1]
"""
RAISES = """
def discounted_returns(rewards, dones, gamma):
    keep = 1 - dones
    return rewards * kep
"""
RIGHT = """
def discounted_returns(rewards, dones, gamma):
    def body(g, x):
        g = x[0] + gamma * (1 - x[1]) * g
        return g, g
    xs = rewards, dones.astype(rewards.dtype)
    return lax.scan(body, jnp.zeros((), rewards.dtype), xs, reverse=True)[1]
"""
CHECK = "returns.check_values(discounted_returns)"
UNWRITTEN = "def discounted_returns(rewards, dones, gamma):\n    raise NotImplementedError()"


@pytest.fixture(scope="module")
def replies(tmp_path_factory):
    cells = {
        "setup": SETUP, "wrong": WRONG + CHECK, "raises": RAISES + CHECK, "right": RIGHT + CHECK,
        "unwritten": UNWRITTEN + "\n" + CHECK,
        "validate": f"import os; os.environ['NBGRADER_EXECUTION'] = 'validate'\n{WRONG}{CHECK}",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SESSION],
        input=json.dumps(list(cells.values())),
        env=os.environ | {"IPYTHONDIR": str(tmp_path_factory.mktemp("ipython"))},
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stderr == ""
    return dict(zip(cells, json.loads(done.stdout), strict=True))


def test_a_wrong_answer_in_ipython(replies):
    reply = replies["wrong"]
    [shown] = reply["shown"]
    assert "episodes are never cut" in shown["text/plain"]
    assert "<table" in shown["text/html"]
    assert reply["error"] == "CheckFailed"
    # The traceback is one line, without a frame of the machinery.
    assert reply["stdout"].strip() == (
        "CheckFailed: discounted_returns, values: failed (returns/ignores-dones)"
    )


def test_the_line_that_raised_is_named_in_ipython(replies):
    [shown] = replies["raises"]["shown"]
    flat = " ".join(shown["text/plain"].split())
    assert "NameError: name 'kep' is not defined, in line 3: return rewards * kep" in flat
    assert "graders" not in replies["raises"]["stdout"]


def test_a_right_answer_in_ipython(replies):
    reply = replies["right"]
    [shown] = reply["shown"]
    assert shown["text/plain"] == "✓ discounted_returns – values: passed"
    assert (reply["error"], reply["stdout"]) == (None, "")


def test_an_unwritten_answer_in_ipython(replies):
    reply = replies["unwritten"]
    assert reply["error"] == "CheckFailed"
    assert "not attempted" in reply["stdout"]
    assert "NotImplementedError" not in reply["stdout"]


def test_validate_in_ipython_shows_the_message_itself(replies):
    lines = replies["validate"]["stdout"].strip().splitlines()
    assert lines[0] == "✗ discounted_returns – values: failed"
    assert any(line.strip().startswith("Try next:") for line in lines)
    assert not any("Traceback" in line or "graders/" in line for line in lines)


def test_no_check_writes_to_stderr(replies):
    assert {name: reply["stderr"] for name, reply in replies.items() if reply["stderr"]} == {}
