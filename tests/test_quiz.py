"""The quiz: forms, marks, what is told, and that every key is proved by the installed JAX."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import nbformat
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax import lax

from graders import forms, quiz
from graders import observe as seeing
from graders.checks import recording
from graders.findings import Outcome, Result
from graders.forms import FormError
from graders.grading import intake, judge
from graders.grading.answers import Answer, fill
from graders.observe import Problem, Undefined
from graders.report import CheckFailed, finding_text
from tests import bank

QUESTIONS = [f"q{number}" for number in range(1, 9)]
CELLS = {cell.grade_id: cell for cell in bank.source_cells("quiz")}
SCAN, SOFTMAX, SUM = lax.scan, jax.nn.softmax, jax.ops.segment_sum
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n(.*)### END HIDDEN TESTS", re.DOTALL)


def key_node(question: str) -> ast.expr:
    """The key in a question's solution cell: the last value assigned to its name."""
    [*_, node] = (
        node.value
        for node in ast.parse(CELLS[question].source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == question
    )
    return node


KEYS = {question: f"{question} = {ast.unparse(key_node(question))}\n" for question in QUESTIONS}


def spec(question: str) -> SimpleNamespace:
    """The arguments that a question's test cell gives to `check_answer`."""
    caught: dict[str, Any] = {}

    def catch(name: str, answer: Any, form: forms.Form, **rest: Any) -> None:
        caught.update(rest, name=name, form=form, right=form.read(forms.leaves_of(rest["key"])))

    namespace = {"quiz": SimpleNamespace(**(vars(quiz) | {"check_answer": catch})), question: None}
    hidden = HIDDEN.search(CELLS[f"quiz-{question}"].source)
    assert hidden
    exec(hidden[1], namespace)
    return SimpleNamespace(**caught)


SPECS = {question: spec(question) for question in QUESTIONS}


def results(check: Any, *args: Any, **kwargs: Any) -> list[Result]:
    caught: list[Result] = []
    with recording(caught.append):
        check(*args, **kwargs)
    return caught


def mark(question: str, answer: Any) -> Result:
    it = SPECS[question]
    [result] = results(
        quiz.check_answer, question, answer, it.form,
        key=it.key, explain=it.explain, section=it.section,
    )  # fmt: skip
    return result


# --- the bank of answers ------------------------------------------------------------------


@pytest.mark.parametrize("answer", bank.answers("quiz", "wrong"), ids=lambda answer: answer.name)
def test_a_wrong_answer_loses_the_marks_of_its_questions_and_is_told_why(answer):
    marks = bank.marks_of(answer)
    [code] = answer.expect
    for question in QUESTIONS:
        mark = marks[f"quiz-{question}"]
        if question in answer.cells:
            assert (mark.score, mark.codes) == (0, (code,))
            blank = code == "quiz/unanswered"
            assert mark.outcome is (Outcome.NOT_ATTEMPTED if blank else Outcome.FAILED)
            # Only a wrong answer can be read.
            assert mark.results[0].passed == (code == "quiz/wrong")
            texts = [finding_text(f) for result in mark.results for f in result.findings]
            assert all(max(map(len, text.split("\n"))) <= 80 for text in texts)
            assert all(len(text.split("\n")) <= 18 and "Try next" in text for text in texts)
        else:
            assert (mark.score, mark.codes) == (2, ())


def test_answers_in_a_kernel_are_marked_as_they_are_here():
    cells = {
        "q1": "q1 = c\n",  # without quotes
        "q2": "q2 = jnp.array([4321, 432, 43, 4])\n",
        "q3": "q3 = ...\n",
        "q4": "",
        "q6": "q6 = jnp.sin\n",
        "q7": "q7 = jax.errors.ConcretizationTypeError\n",
        "q8": "q8 = 'b'\n",
    }
    answer = Answer(bank.ANSWERS / "quiz/wrong/mixed.py", KEYS | cells, ())
    source = nbformat.read(bank.SOURCE / "5-quiz.ipynb", as_version=4)
    _, rows = judge.grade(fill(intake.released(source), answer.cells), source, judge.Settings())
    there = {row.cell: (row.score, row.status, row.findings) for row in rows}
    here = {
        name: (mark.score, mark.outcome, mark.codes) for name, mark in bank.grade(answer).items()
    }
    assert there == here
    assert [there[f"quiz-{question}"][2] for question in QUESTIONS] == [
        ("quiz/form",), (), ("quiz/unanswered",), ("quiz/unanswered",), (), ("quiz/form",), (),
        ("quiz/wrong",),
    ]  # fmt: skip


def test_unreadable_and_missing_answers_are_told_the_same_by_both_checks():
    for answer in ("f", None):
        [form] = results(quiz.check_form, "q1", answer, SPECS["q1"].form)
        assert form.findings == mark("q1", answer).findings


# --- the source: keys, proofs, explanations -----------------------------------------------


def run_cell(question: str, source: str) -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(CELLS["setup"].source, namespace)
    exec(compile(source, f"<{question}>", "exec"), namespace)


def other(question: str) -> Any:
    """An answer of the key's form that is not the key."""
    key = ast.literal_eval(key_node(question))
    if isinstance(key, list):
        return [*key[:-1], key[-1] + 1]
    if isinstance(key, set):
        return key ^ {"a"}
    return "TypeError" if question == "q7" else "b"


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_installed_jax_proves_the_key(question, capsys):
    run_cell(question, CELLS[question].source)
    assert capsys.readouterr().out.startswith(f"{question}: ")


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_changed_key_fails_its_proof(question):
    tree = ast.parse(CELLS[question].source)
    [*_, key] = (
        node
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == question
    )
    key.value = ast.parse(repr(other(question)), mode="eval").body
    with pytest.raises(AssertionError, match=f"^{question} is "):
        run_cell(question, ast.unparse(tree))


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_changed_key_in_the_test_cell_fails_the_source(question):
    it, wrong = SPECS[question], other(question)
    explain = it.explain | ({tuple(wrong): "Right."} if isinstance(wrong, list) else {})
    [result] = results(
        quiz.check_answer, question, ast.literal_eval(key_node(question)), it.form,
        key=wrong, explain=explain, section=it.section,
    )  # fmt: skip
    assert result.outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("question", "module", "name", "changed"),
    [
        ("q1", lax, "scan", lambda *args, **kwargs: (jnp.float32(4.0), None)),
        ("q2", lax, "scan", lambda f, c, xs, reverse=False: SCAN(f, c, xs)),
        ("q3", lax, "while_loop", lambda go, f, c: lax.fori_loop(0, 5, lambda i, c: f(c), c)),
        ("q4", lax, "cond", lambda flag, f, g, x: jnp.where(flag, f(x), g(x))),
        ("q5", jax, "jit", lambda f: f),
        ("q6", jax.nn, "softmax", lambda x, **kwargs: jnp.nan_to_num(SOFTMAX(x, **kwargs))),
        ("q7", jax.ops, "segment_sum", lambda d, i, num_segments=8: SUM(d, i, num_segments)),
        ("q8", jax, "checkpoint", lambda f: f),
    ],
)  # fmt: skip
def test_a_jax_that_behaves_differently_fails_the_build_with_the_question(
    monkeypatch, question, module, name, changed
):
    monkeypatch.setattr(module, name, changed)
    with pytest.raises(AssertionError, match=f"^{question}"):
        run_cell(question, CELLS[question].source)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_code_that_is_asked_about_is_the_code_that_is_proved(question):
    """Line by line; a proof may count calls in between, and calls in its own way."""
    code = re.search(r"```python\n(.*?)```", text_of(question), re.DOTALL)
    lines = [line.strip() for line in code[1].splitlines() if line.strip()] if code else []
    proof = CELLS[question].source
    # A call whose result the proof needs stands in it as an expression, or through a helper.
    missing = [line for line in lines if line not in proof]
    assert [line for line in missing if line not in PROVED_OTHERWISE] == []


PROVED_OTHERWISE = (
    "lax.scan(body, 0, xs)",
    "lax.scan(body, jnp.int32(0), xs)",
    "return jnp.tanh(jnp.sin(c) * x), None",
    "total(data, ids)",
    "total_of_two(data, ids)",
    "jax.jit(total_of_two)(data, ids)",
    "jax.jit(total)(data, ids)",
)


def text_of(question: str) -> str:
    notebook = nbformat.read(bank.SOURCE / "5-quiz.ipynb", as_version=4)
    [text] = (cell.source for cell in notebook.cells if cell.id == f"question-{question[1:]}")
    return text


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_option_is_explained_and_the_question_shows_the_options_that_its_form_has(question):
    it, text = SPECS[question], text_of(question)
    assert all(why.endswith((".", ".)")) and len(why) > 40 for why in it.explain.values())
    assert not it.form.unexplained(it.right, it.explain)
    if isinstance(it.form, quiz.PickAll):
        assert set(it.explain) == set(it.form.options)
        shown = re.findall(r"^- \*\*(\w)\*\* – |^def (\w)\(x, n, w\)", text, re.MULTILINE)
        assert "".join(a or b for a, b in shown) == it.form.options
    one = type(it.form) is quiz.PickOne
    assert ("**Pick one.**" in text) == one
    assert ("**Pick all that apply.**" in text) == (type(it.form) is quiz.PickAll)
    stub = CELLS[question].source.split("### BEGIN SOLUTION")[0]
    assert re.fullmatch(rf"{question} = None  # your answer: .+\n", stub)


@pytest.mark.parametrize("question", QUESTIONS)
def test_students_get_no_key_and_no_explanation(question):
    visible = HIDDEN.sub("", CELLS[f"quiz-{question}"].source)
    assert re.fullmatch(
        rf'# 2 points\..*\nquiz\.check_form\("{question}", {question}, quiz\.\w+\(.*\)\)\n',
        visible,
    )
    installed = "".join(path.read_text() for path in Path(quiz.__file__).parent.rglob("*.py"))
    assert not any(why[:40] in installed for why in SPECS[question].explain.values())


def test_the_forms_are_mixed():
    assert {type(it.form) for it in SPECS.values()} == {
        quiz.PickOne, quiz.PickAll, quiz.Numbers, quiz.ExceptionName,
    }  # fmt: skip


# --- what a wrong answer is told ----------------------------------------------------------


def wrong_answers(question: str) -> list[tuple[Any, Any]]:
    """(answer, key of its explanation) for everything that is explained as wrong."""
    it = SPECS[question]
    if isinstance(it.form, quiz.PickAll):
        one = isinstance(it.form, quiz.PickOne)
        return [
            ({letter} if one else it.right ^ {letter}, letter)
            for letter in it.form.options
            if not one or {letter} != it.right
        ]
    if isinstance(it.form, quiz.ExceptionName):
        return [(name, name) for name in it.explain if name not in (it.right, ...)]
    return [
        ([b if a is ... else a for a, b in zip(pattern, it.right, strict=True)], pattern)
        for pattern in it.explain
        if pattern not in (it.right, ...)
    ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_wrong_option_is_told_its_own_explanation(question):
    for answer, option in wrong_answers(question):
        result = mark(question, answer)
        assert result.outcome is Outcome.FAILED
        whys = [finding.why for finding in result.findings]
        assert len(whys) == 1 and SPECS[question].explain[option] in whys[0], option
        assert result.findings[0].came != result.findings[0].expected


def test_every_misjudged_option_is_told():
    told = {finding.headline: finding for finding in mark("q3", "b, c").findings}
    assert list(told) == [
        "q3: b does not belong in it", "q3: d belongs in it too", "q3: e belongs in it too",
    ]  # fmt: skip
    assert {(f.came, f.expected) for f in told.values()} == {("b, c", "c, d, e")}


def test_every_wrong_number_is_told():
    headlines = [finding.headline for finding in mark("q5", [30, 30, 30, 7]).findings]
    assert headlines == [
        "q5: number 1 is not right", "q5: number 2 is not right", "q5: number 4 is not right",
    ]  # fmt: skip
    whys = [finding.why for finding in mark("q5", [30, 20, 30, 7]).findings]
    assert SPECS["q5"].explain[...] in whys[1]
    assert ["The answer is" in why for why in whys] == [False, True]


def test_the_visible_check_does_not_tell_right_from_wrong():
    for question in QUESTIONS:
        right, wrong = (
            results(quiz.check_form, question, answer, SPECS[question].form)
            for answer in (ast.literal_eval(key_node(question)), other(question))
        )
        assert right == wrong and right[0].passed


def test_without_a_recorder_the_result_is_shown_and_a_failure_raised(capsys):
    quiz.check_form("q1", "a", quiz.PickOne("abc"))
    assert capsys.readouterr().out == "✓ q1 – can be read (marked after you submit): passed\n"
    with pytest.raises(CheckFailed, match="q1 has no answer yet"):
        quiz.check_form("q1", None, quiz.PickOne("abc"))


@pytest.mark.parametrize(
    ("form", "key", "explain"),
    [
        (quiz.PickOne("abc"), "d", {}),
        (quiz.PickOne("abc"), "a", {"a": "", "b": ""}),
        (quiz.PickAll("abc"), "ab", {"a": "", "b": ""}),
        (quiz.Numbers(2), [1, 2], {(1, 2): ""}),
        (quiz.Numbers(2), [1, 2, 3], {(1, 2, 3): "", ...: ""}),
        (quiz.ExceptionName(), "KeyError", {...: ""}),
    ],
)
def test_a_question_whose_key_or_explanations_do_not_fit_is_refused(form, key, explain):
    with pytest.raises(ValueError, match=r"."):
        quiz.check_answer("q1", "a", form, key=key, explain=explain, section="1.1")


# --- forms --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "status, outcome",
    [
        (seeing.UNDEFINED, Outcome.NOT_ATTEMPTED),
        (seeing.RAISED, Outcome.FAILED),
        (seeing.TIMED_OUT, Outcome.TIMED_OUT),
        (seeing.CRASHED, Outcome.CRASHED),
        (seeing.OUT_OF_MEMORY, Outcome.OUT_OF_MEMORY),
    ],
)
def test_a_name_that_is_not_there_says_why(status, outcome):
    problem = Problem("NameError", message="name 'b' is not defined", line="q1 = b", number=1)
    answer = Undefined("q1", status, problem if status == seeing.RAISED else None)
    result = mark("q1", answer)
    assert result.outcome is outcome
    [finding] = result.findings
    if status == seeing.RAISED:
        assert finding.code == "quiz/form"
        assert finding.came == "NameError: name 'b' is not defined, in line 1: q1 = b"


class Hostile:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("d")

    def __float__(self):
        return 8.0

    def __str__(self):
        return "d"

    __repr__ = __str__


class Text(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "junk",
    [
        Hostile(), [Hostile()], object, print, float("nan"), 1j, True, b"d", {"d": 1}, 10**1000,
        10**10_000, "d" * 10**6, [None, Hostile()], np.zeros(10**6), np.array("d"),
        jnp.zeros((3, 3)), jax.random.key(0), "DROP TABLE students",
        [[[[[[[[[[[[[[[[[[[[[[[["d"]]]]]]]]]]]]]]]]]]]]]]]],
    ],
    ids=lambda junk: type(junk).__name__,
)  # fmt: skip
def test_junk_is_a_wrong_form_and_shown_in_few_words(question, junk):
    [finding] = mark(question, junk).findings
    assert finding.code == "quiz/form"
    assert len(finding.came) < 200


def test_an_answer_that_claims_to_equal_everything_is_read_as_what_it_is():
    assert mark("q1", Text("a")).outcome is Outcome.FAILED
    assert mark("q1", Text("d")).passed


@given(
    st.sets(st.sampled_from("abcde"), min_size=1),
    st.sampled_from([", ", " ", "", "; ", " and ", ",", "/", "\n"]),
    st.booleans(),
    st.sampled_from(["{}", " {} ", "({})", "[{}]", "'{}'", "{}.", "{{{}}}"]),
)
def test_letters_are_read_alike_in_every_spelling(letters, between, upper, around):
    text = around.format(between.join(letters))
    form = quiz.PickAll("abcde")
    for answer in (text.upper() if upper else text, sorted(letters), tuple(letters), set(letters)):
        assert form.read(forms.leaves_of(answer)) == letters


@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=3, max_size=3),
    st.sampled_from([", ", " ", "; ", ",", "\n"]),
    st.sampled_from([int, float, str, np.int32, np.float64, lambda n: [n]]),
)
def test_numbers_are_read_alike_in_every_spelling(numbers, between, kind):
    form, expected = quiz.Numbers(3), tuple(map(float, numbers))
    assert form.read(forms.leaves_of(between.join(map(str, numbers)))) == expected
    assert form.read(forms.leaves_of(str(numbers))) == expected
    assert form.read(forms.leaves_of(tuple(map(kind, numbers)))) == expected
    assert form.read(forms.leaves_of(np.array(numbers, np.float32))) == expected


def test_one_number_needs_no_list():
    form = quiz.Numbers(1)
    for answer in (8, 8.0, "8", [8], (8,), {8}, np.int64(8), np.array([8])):
        [passed] = results(quiz.check_form, "q", answer, form)
        assert passed.passed
        assert form.read(forms.leaves_of(answer)) == (8.0,)


def test_all_exceptions_of_jax_and_python_can_be_named():
    names = {name for name, kind in vars(jax.errors).items() if isinstance(kind, type)}
    assert names | {"KeyError", "FloatingPointError"} <= set(forms.EXCEPTIONS.values())
    form = quiz.ExceptionName()
    for name in names:
        kind = getattr(jax.errors, name)
        for answer in (kind, name, f"jax.errors.{name}", f" {name.upper()}() ", [name], str(kind)):
            [passed] = results(quiz.check_form, "q", answer, form)
            assert passed.passed, answer


@pytest.mark.parametrize("text", ["Concretization", "no error", "b", "4", "ValueError, KeyError"])
def test_what_is_no_exception_is_no_exception(text):
    with pytest.raises(FormError):
        quiz.ExceptionName().read(forms.leaves_of(text))
