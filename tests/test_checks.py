"""Running a check: what each kind of observation comes to, and what is reported."""

import jax.numpy as jnp
import numpy as np
import pytest

from graders import checks, report
from graders import observe as seeing
from graders.checks import examine, examine_data, first_sentence, recording, run, told
from graders.findings import Finding, Outcome
from graders.observe import Call, Observable, Observation, Problem, Undefined

CALLS = [Call((1.0,), label="one"), Call((2.0,), label="two"), Call((3.0,), label="two")]


class Seen(Observable):
    """A proxy whose calls come to what it is given."""

    def __init__(self, *seen):
        self.seen = seen

    def __call__(self):
        raise AssertionError("a proxy is not called")

    def observe_calls(self, calls):
        return self.seen


def returned(*values):
    return [Observation("returned", value) for value in values]


def judge(calls, seen):
    """Every result must be 0."""
    for call, observation in zip(calls, seen, strict=True):
        if observation.value != 0:
            yield Finding(
                f"ex/not-{observation.value}", "no", given=str(call.args), part=call.label
            )


def never(calls, seen):
    raise AssertionError("nothing to judge")


def codes(result):
    return [finding.code for finding in result.findings]


def test_no_findings_is_a_pass():
    result = examine("ex", "f", "values", Seen(*returned(0, 0, 0)), CALLS, judge)
    assert (result.outcome, result.subject, result.title) == (Outcome.PASSED, "f", "values")
    assert result.passed
    assert result.parts == (("one", Outcome.PASSED), ("two", Outcome.PASSED))


def test_all_findings_are_kept_each_code_once_with_its_parts():
    result = examine("ex", "f", "values", Seen(*returned(5, 5, 6)), CALLS, judge)
    assert codes(result) == ["ex/not-5", "ex/not-6"]
    assert result.findings[0].given == "(1.0,)"
    assert result.parts == (("one", Outcome.FAILED), ("two", Outcome.FAILED))
    result = examine("ex", "f", "values", Seen(*returned(0, 0, 6)), CALLS, judge)
    assert result.parts == (("one", Outcome.PASSED), ("two", Outcome.FAILED))


def test_a_finding_without_a_part_speaks_of_all():
    result = examine(
        "ex", "f", "values", Seen(*returned(0, 0, 0)), CALLS, lambda *_: [Finding("ex/all", "no")]
    )
    assert result.findings[0].part == "values"
    assert {outcome for _, outcome in result.parts} == {Outcome.FAILED}


def test_a_call_without_a_label_is_called_like_the_check():
    result = examine("ex", "f", "values", lambda: 0, [Call(())], judge)
    assert result.parts == (("values", Outcome.PASSED),)


@pytest.mark.parametrize(
    ("status", "outcome", "code"),
    [
        (seeing.TIMED_OUT, Outcome.TIMED_OUT, "ex/timed-out"),
        (seeing.CRASHED, Outcome.CRASHED, "ex/crashed"),
        (seeing.OUT_OF_MEMORY, Outcome.OUT_OF_MEMORY, "ex/out-of-memory"),
        (seeing.REFUSED, Outcome.FAILED, "ex/refused"),
        (seeing.MALFORMED, Outcome.FAILED, "ex/refused"),
    ],
)
def test_a_call_that_never_came_back_is_not_judged(status, outcome, code):
    seen = [*returned(0, 0), Observation(status)]
    result = examine("ex", "f", "values", Seen(*seen), CALLS, never)
    assert (result.outcome, codes(result)) == (outcome, [code])
    [finding] = result.findings
    assert finding.why and finding.next_step
    assert not result.passed


def unwritten():
    raise NotImplementedError


@pytest.mark.parametrize(
    "answer",
    [
        None, ..., Undefined("f"), lambda *_: unwritten(),
        Seen(*returned(0, 0), Observation("raised", problem=Problem("NotImplementedError"))),
        Seen(*[Observation("raised", problem=Problem("Mine", ("NotImplementedError",)))] * 3),
        Seen(*[Observation(seeing.UNDEFINED)] * 3),
    ],
    ids=["None", "...", "undefined", "raises", "proxy", "subclass", "unseen"],
)  # fmt: skip
def test_no_answer_is_told_from_a_wrong_one(answer):
    result = examine("ex", "f", "values", answer, CALLS, never)
    assert (result.outcome, codes(result)) == (Outcome.NOT_ATTEMPTED, [])
    assert not result.passed


@pytest.mark.parametrize(
    "answer", [3, "def f", np.zeros(2), jnp.zeros(2), [abs]], ids=lambda value: type(value).__name__
)
def test_what_is_no_function_is_said(answer):
    result = examine("ex", "f", "values", answer, CALLS, never)
    assert codes(result) == ["ex/not-a-function"]
    assert type(answer).__name__ in result.findings[0].came


def test_a_name_whose_cell_raised_is_no_missing_answer():
    answer = Undefined("f", problem=Problem("NameError", (), "name 'jnp' is not defined"))
    result = examine("ex", "f", "values", answer, CALLS, never)
    assert (result.outcome, codes(result)) == (Outcome.FAILED, ["ex/raises"])
    assert "jnp" in result.findings[0].came


def test_a_name_whose_cell_hung_is_told_so():
    answer = Undefined("f", status=seeing.TIMED_OUT)
    assert examine("ex", "f", "values", answer, CALLS, never).outcome is Outcome.TIMED_OUT
    assert examine_data("ex", "f", "value", answer, never).outcome is Outcome.TIMED_OUT


# --- data ---------------------------------------------------------------------------------


def data_judge(value):
    if value == "later":
        return None
    return [] if value == [1, 2] else [Finding("ex/wrong", "no"), Finding("ex/wrong", "again")]


@pytest.mark.parametrize(
    ("answer", "outcome", "found"),
    [
        ([1, 2], Outcome.PASSED, []), ([2], Outcome.FAILED, ["ex/wrong"]),
        ("later", Outcome.NOT_ATTEMPTED, []), (None, Outcome.NOT_ATTEMPTED, []),
        (..., Outcome.NOT_ATTEMPTED, []), (Undefined("q1"), Outcome.NOT_ATTEMPTED, []),
        (Undefined("q1", problem=Problem("ValueError")), Outcome.FAILED, ["ex/raises"]),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_data_is_judged_as_plain_data(answer, outcome, found):
    result = examine_data("ex", "q1", "value", answer, data_judge)
    assert (result.outcome, codes(result)) == (outcome, found)
    assert result.parts == (("value", outcome),)


def test_a_judge_of_data_gets_plain_data():
    class Equal(list):
        def __eq__(self, other):
            return True

        __hash__ = None

    judged = []
    for answer in (Equal([3]), {"a": jnp.ones(2)}):
        examine_data("ex", "q1", "value", answer, lambda value: judged.append(value) or [])
    plain, arrays = judged
    assert type(plain) is list
    assert type(arrays["a"]) is np.ndarray


# --- reporting ----------------------------------------------------------------------------


def test_a_result_goes_to_the_recorder_and_nothing_is_shown(capsys):
    results = []
    with recording(results.append):
        run("ex/f", "values", Seen(*returned(0, 0, 1)), CALLS, judge)
        run("ex/f", "values", Seen(*returned(0, 0, 0)), CALLS, judge)
    assert [result.passed for result in results] == [False, True]
    assert capsys.readouterr() == ("", "")


def test_without_a_recorder_it_is_shown_and_raised(capsys):
    run("ex/f", "values", Seen(*returned(0, 0, 0)), CALLS, judge)
    with pytest.raises(report.CheckFailed, match="ex/not-1") as caught:
        run("ex/f", "values", Seen(*returned(0, 0, 1)), CALLS, judge)
    assert codes(caught.value.result) == ["ex/not-1"]
    shown, errors = capsys.readouterr()
    assert "✓ f – values: passed" in shown
    assert "✗ f – values: failed" in shown
    assert errors == ""


def test_an_exception_is_told_with_its_line():
    problem = Problem("ValueError", (), "no\nmore", "x = y", 3)
    assert told(problem) == "ValueError: no, in line 3: x = y"
    assert told(Problem("E", (), "no")) == "E: no"
    finding = checks.raised("ex", problem, given="x", part="one")
    assert (finding.code, finding.came, finding.part) == ("ex/raises", told(problem), "one")


@pytest.mark.parametrize(
    ("message", "short"),
    [
        ("", ""), ("one\ntwo", "one"), ("\n\n one\n", "one"),
        ("they differ:\n\nThe input is a.\n\nRevise.", "they differ: The input is a."),
        ("they differ:", "they differ:"), ("x" * 300, "x" * 239 + "…"),
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_first_sentence(message, short):
    assert first_sentence(message) == short
