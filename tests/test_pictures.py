"""Pictures: what is said and drawn of right, wrong and broken answers, and where nothing is."""

import json
import os
import re
import subprocess
import sys
import warnings
from html.parser import HTMLParser

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from graders import checks, newton, piecewise, report, returns, softmax
from graders.checks import recording
from graders.jaxprs import Equation, Program
from graders.observe import Undefined, history, observe
from graders.pictures import frame, tree
from graders.pictures.tree import FOUND, MISSING, UNWANTED, Node, Wanted
from tests import bank

SHOW = {
    "returns": (returns.show, "discounted_returns"),
    "newton scan": (lambda f: newton.show(f, "scan"), "newton_sqrt_scan"),
    "newton while": (lambda f: newton.show(f, "while"), "newton_sqrt_while"),
    "softmax": (softmax.show, "segment_softmax"),
    "piecewise": (piecewise.show, "piecewise"),
    "piecewise select": (lambda f: piecewise.show(f, "select"), "piecewise_select"),
}
"""How to show each answer, and its name."""


def load(exercise, stem):
    """The names that an answer of the bank defines, with what its notebook's setup imports."""
    [answer] = [a for a in bank.answers(exercise) if a.path.stem == stem]
    [setup] = [c.source for c in bank.source_cells(exercise) if c.grade_id == "setup"]
    names = {}
    exec(setup, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in answer.cells.values():
            exec(source, names)
    return names


@pytest.fixture
def drawn(monkeypatch):
    """The pictures that are displayed, drawn as well."""
    pictures = []
    monkeypatch.setattr(frame, "DPI", 20)

    def display(picture):
        assert frame.png(picture).startswith(b"\x89PNG")
        pictures.append(picture)

    monkeypatch.setattr(frame, "_display", display)
    return pictures


def said(picture):
    return " ".join(frame.to_text(picture).split())


# --- what a picture says ------------------------------------------------------------------

CASES = [
    ("returns", "returns", "textbook",
     ["Yours are [2, 2, 5, 4, 1, 2, 4, 8], the same.", f"scan reverse=True, length=8 {FOUND}"]),
    ("returns", "returns", "ignores_dones_unused",
     ["Yours are [3.312, 4.625, 5.25, 4.5, 1, 2, 4, 8], which differ at the steps 0, 1, 2, 3."]),
    ("returns", "returns", "not_reverse_flip_scan_flip",
     ["the same.", f"scan with reverse=True {MISSING}"]),
    ("returns", "returns", "shape_returns_the_pair", ["returned something of type tuple"]),
    ("returns", "returns", "raises_misspelt_name", ["Your function raised NameError"]),
    ("returns", "returns", "not_traceable_if_any", ["It cannot be traced.", "the same."]),
    ("newton scan", "newton", "textbook",
     ["x = 100 with k = 10.", "took 30 steps, and x last changed in step 10",
      f"scan length=30 {FOUND}"]),
    ("newton scan", "newton", "counts_idle_every_step", ["x = 100 with k = 30."]),
    ("newton while", "newton", "textbook", ["Your loop took 10 steps", f"while {FOUND}"]),
    ("newton scan", "newton", "no_scan_python_loop",
     ["There is no loop in your traced program", f"scan {MISSING}"]),
    ("newton scan", "newton", "shape_only_the_root", ["did not return a pair (x, k)"]),
    ("softmax", "softmax", "plain",
     ["the segments sum to [1, 1, 1]", f"scatter-max {FOUND}", f"scatter-add {FOUND}"]),
    ("softmax", "softmax", "global_sum", ["the segments sum to [0.2759, 0.2069, 0.5172]"]),
    ("softmax", "softmax", "no_max",
     ["Some of your values are not finite", "the segments sum to [nan, 1, nan]",
      f"which jax.ops.segment_max becomes {MISSING}"]),
    ("softmax", "softmax", "one_segment_too_few", ["Yours are"]),
    ("piecewise", "piecewise", "reference-like",
     ["Your f(x) agrees everywhere. Your f′(x) agrees everywhere.", f"cond branches=3 {FOUND}"]),
    ("piecewise", "piecewise", "zero-strictly-greater",
     ["Your f(x) agrees everywhere. Your f′(x) is off at x = 0 only."]),
    ("piecewise", "piecewise", "if-elif",
     ["It works only for one x at a time", "Your f(x) agrees everywhere."]),
    ("piecewise", "piecewise", "nested-cond", [f"which lax.switch becomes {MISSING}"]),
    ("piecewise select", "piecewise", "reference-like", [f"select_n {FOUND}"]),
    ("piecewise select", "piecewise", "select-map-of-switch", [f"cond branches=3 {UNWANTED}"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "exercise", "stem", "sentences"), CASES, ids=[f"{c[0]} {c[2]}" for c in CASES]
)
def test_a_picture_says_in_words_what_it_shows(drawn, what, exercise, stem, sentences):
    show, name = SHOW[what]
    show(load(exercise, stem)[name])
    [picture] = drawn
    for sentence in sentences:
        assert sentence in said(picture)
    assert max(map(len, picture.notes), default=0) < 400


def test_a_switch_keeps_for_the_student_what_vmap_makes_of_it(drawn):
    piecewise.show(load("piecewise", "reference-like")["piecewise"])
    [root] = drawn[0].trees
    assert any(node.mark == FOUND for node in root.children)


def test_a_while_loop_without_end_is_drawn_as_far_as_it_is_run(drawn):
    def endless(a):
        def step(carry):
            x, k = carry
            return (x + a / x) / 2, k + 1

        return lax.while_loop(lambda carry: carry[1] >= 0, step, (a, 0))

    newton.show(endless, "while")
    assert "Your loop was still going after 40 steps, where it was stopped." in drawn[0].notes


# --- answers of every kind ----------------------------------------------------------------


def _raise(error):
    raise error


ODD = {
    "None": lambda *_, **__: None,
    "text": lambda *_, **__: "x",
    "nothing": lambda *_, **__: (),
    "a pair of nothing": lambda *_, **__: (None, None),
    "an object": lambda *_, **__: object(),
    "complex": lambda *_, **__: jnp.complex64(1j),
    "nan": lambda x, *_, **__: jnp.full(jnp.shape(x), jnp.nan),
    "infinite": lambda x, *_, **__: (x * jnp.inf, jnp.inf),
    "huge": lambda x, *_, **__: jnp.full(jnp.shape(x), -3e38),
    "empty": lambda *_, **__: jnp.zeros((0,)),
    "another shape": lambda *_, **__: jnp.zeros((2, 3)),
    "KeyError": lambda *_, **__: _raise(KeyError("k")),
    "SystemExit": lambda *_, **__: _raise(SystemExit(1)),
    "no arguments": lambda: 0,
}


@pytest.mark.parametrize("what", SHOW)
def test_no_answer_breaks_a_picture(monkeypatch, what):
    pictures = []
    monkeypatch.setattr(frame, "_display", pictures.append)
    for answer in ODD.values():
        SHOW[what][0](answer)
    assert len(pictures) == len(ODD)
    for picture in pictures:
        assert picture.notes or "Yours" in picture.words or "Your f" in picture.words


@pytest.mark.parametrize("odd", ["None", "nan", "infinite", "huge"])
@pytest.mark.parametrize("what", SHOW)
def test_no_number_breaks_a_figure(drawn, what, odd):
    SHOW[what][0](ODD[odd])
    assert len(drawn) == 1


@pytest.mark.parametrize("what", SHOW)
@pytest.mark.parametrize("blank", [None, ..., "undefined", "NotImplementedError"])
def test_without_an_answer_one_sentence_says_so(drawn, capsys, what, blank):
    show, name = SHOW[what]
    answer = blank
    if blank == "undefined":
        answer = Undefined(name)
    elif blank == "NotImplementedError":
        answer = lambda *_, **__: _raise(NotImplementedError())  # noqa: E731
    show(answer)
    assert drawn == []
    assert capsys.readouterr().out == (
        f"There is nothing to draw yet: write {name}, run its cell, then show it again.\n"
    )


def test_what_is_no_function_is_named(drawn, capsys):
    returns.show(3)
    assert drawn == []
    assert "it is of type int, not a function" in capsys.readouterr().out


# --- where nobody looks -------------------------------------------------------------------


def test_nothing_is_called_while_notebooks_are_graded_or_validated(drawn, capsys, monkeypatch):
    def answer(*_):
        raise AssertionError("called")

    with recording(lambda result: None):
        returns.show(answer)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    returns.show(answer)
    assert (drawn, capsys.readouterr()) == ([], ("", ""))


# --- the offer ----------------------------------------------------------------------------


@pytest.mark.parametrize(("subject", "line"), checks._PICTURES.items())
def test_a_failing_check_offers_a_line_that_works_in_its_notebook(drawn, subject, line):
    exercise, name = subject.split("/")
    names = load(
        exercise, {"softmax": "plain", "piecewise": "reference-like"}.get(exercise, "textbook")
    )
    result = checks.examine(exercise, name, "values", len, [], lambda *_: [bank_finding()])
    assert result.see == line
    assert f"See it: {line}" in report.text(result).splitlines()
    assert "See it:" in report.to_html(result)
    exec(line, names)
    assert drawn[0].title.startswith(name)


def bank_finding():
    return checks.Finding("x/wrong", "no")


def test_a_check_that_passes_or_has_nothing_to_draw_offers_nothing():
    passed = checks.examine("returns", "discounted_returns", "values", len, [], lambda *_: [])
    other = checks.examine("toy", "f", "values", len, [], lambda *_: [bank_finding()])
    blank = checks.examine("returns", "discounted_returns", "values", None, [], lambda *_: [])
    for result in (passed, other, blank):
        assert "See it" not in report.text(result) + report.to_html(result)


# --- the tree -----------------------------------------------------------------------------

SCAN = Wanted("scan", lambda one: one.primitive == "scan")


def test_the_tree_of_a_program():
    body = Program((Equation("mul"), Equation("mul"), Equation("add")))
    wrapped = Program((Equation("exp"), Equation("scan", {"length": 3}, inner=(body,))))
    program = Program((Equation("sub"), Equation("jit", inner=(wrapped,)), Equation("neg")))
    assert tree.to_text(tree.tree(program, [SCAN])).splitlines() == [
        "program",
        "├─ sub, exp",
        f"├─ scan  length=3   {FOUND}",
        "│  └─ mul ×2, add",
        "└─ neg",
    ]


def test_a_long_program_makes_a_small_tree():
    cond = Equation("cond", {"branches": 2}, inner=(Program(), Program()))
    names = [Equation(f"op{number}") for number in range(20)]
    root = tree.tree(Program((*names, *[cond] * 500)), [])
    assert root.children[0].label == "op0, op1, op2, op3, op4, op5, …"
    assert len(root.children) == tree.MOST
    assert root.children[-1].label == "… and 490 more like these"


class Lists(HTMLParser):
    """How deep each text is nested in lists, and what is strong."""

    def __init__(self, document):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open.count("ul"), "strong" in self.open, data.strip()))


def test_the_tree_is_nested_lists_and_its_marks_are_words():
    root = Node("program", children=(Node("<scan>", FOUND, (Node("mul"),)),))
    assert Lists(tree.to_html(root)).texts == [
        (0, False, "program"), (1, True, "<scan>"), (1, True, FOUND), (2, False, "mul"),
    ]  # fmt: skip
    assert "color" not in tree.to_html(root).replace("currentColor", "")


# --- HTML ---------------------------------------------------------------------------------


def test_the_figure_has_its_words_as_text_alternative(drawn):
    returns.show(load("returns", "textbook")["discounted_returns"])
    [picture] = drawn
    shown = frame.to_html(picture, b"png")
    [alt] = re.findall(r'<img [^>]*alt="([^"]*)"', shown)
    assert alt == picture.words
    assert len(alt) > 100
    without = frame.to_html(picture, b"", [frame.INSTALL])
    assert "<img" not in without
    assert f"<p>{picture.words}</p>" in without


def test_nothing_of_a_students_becomes_markup(drawn):
    returns.show(lambda *_: _raise(ValueError("<script>alert(1)</script>")))
    assert "<script>" not in frame.to_html(drawn[0], b"")
    assert "&lt;script&gt;" in frame.to_html(drawn[0], b"")


def test_colours_are_told_from_white():
    for colour in (frame.REFERENCE, frame.YOURS, frame.MUTED):
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        assert 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 4.5


# --- without IPython, and without Matplotlib ----------------------------------------------


def test_in_a_terminal_the_words_are_printed(capsys):
    returns.show(load("returns", "textbook")["discounted_returns"])
    out, err = capsys.readouterr()
    assert out.startswith("discounted_returns beside the right returns\n\nRewards [1, 2, 3, 4,")
    assert err == ""


SESSION = """
import json, sys
if sys.argv[1] == "blocked":
    sys.modules["matplotlib"] = None
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
with capture_output() as seen:
    done = shell.run_cell(sys.stdin.read())
early = [name for name in ("matplotlib", "graders.pictures") if shell.user_ns["early"][name]]
print(json.dumps({
    "shown": [output.data for output in seen.outputs], "stdout": seen.stdout,
    "stderr": seen.stderr, "failed": not done.success, "early": early,
    "pyplot": "matplotlib.pyplot" in sys.modules,
}))
"""


@pytest.mark.parametrize("state", ["blocked", "there"])
def test_checks_need_no_matplotlib_and_show_says_how_to_get_it(state, tmp_path):
    answer = next(a for a in bank.answers("returns", "right") if a.path.stem == "textbook")
    cell = "\n".join([
        "import sys", "import jax.numpy as jnp", "from jax import lax",
        "from graders import returns",
        *answer.cells.values(), "returns.check_values(discounted_returns)",
        "early = {name: sys.modules.get(name) is not None"
        " for name in ('matplotlib', 'graders.pictures')}",
        "returns.show(discounted_returns)",
    ])  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", SESSION, state], input=cell, capture_output=True, text=True,
        check=True, timeout=120,
        env=os.environ | {"IPYTHONDIR": str(tmp_path), "MPLCONFIGDIR": str(tmp_path)},
    )  # fmt: skip
    reply = json.loads(done.stdout)
    check, picture = reply["shown"]
    assert check["text/plain"] == "✓ discounted_returns – values: passed"
    assert (reply["early"], reply["failed"], reply["stdout"], reply["pyplot"]) == (
        [], False, "", False,
    )  # fmt: skip
    blocked = state == "blocked"
    assert (frame.INSTALL in " ".join(picture["text/plain"].split())) == blocked
    assert ("data:image/png;base64," in picture["text/html"]) == (not blocked)
    assert "Yours are [2, 2, 5, 4, 1, 2, 4, 8]" in picture["text/html"]


# --- what a loop carried ------------------------------------------------------------------


def _halved(x, loop):
    if loop == "scan":
        return lax.scan(lambda c, _: (c / 2, c), x, None, length=4)[0]
    return lax.while_loop(lambda c: c > 0.5, lambda c: c / 2, x)


@pytest.mark.parametrize("loop", ["scan", "while"])
def test_the_history_of_a_loop(loop):
    seen = observe(_halved, np.float32(8), loop=loop, through=history(10))
    assert float(seen.value) == 0.5
    assert [float(step.details["0"]) for step in seen.events] == [4, 2, 1, 0.5]
    assert seen.program.find(loop)


def test_a_loop_without_end_is_given_up():
    def endless(x):
        return lax.while_loop(lambda c: c > 0, lambda c: c + 1, x)

    seen = observe(endless, np.float32(8), through=history(5))
    assert seen.returned
    assert seen.value is None
    assert len(seen.events) == 6
