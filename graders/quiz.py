"""Exercise 5: the quiz. Answers are plain assignments, checked for their form, marked later.

`check_form` tells a student whether an answer can be read, and nothing more.
`check_answer` marks: its key and its explanations stand in the hidden part of a test cell,
never in this package. Source of the questions: chapter 1, its quiz.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

from graders import values
from graders.checks import deliver, examine_data, told
from graders.findings import Finding, Outcome, Result
from graders.forms import ExceptionName, Form, FormError, Numbers, PickAll, PickOne, leaves_of
from graders.observe import RAISED, Undefined

__all__ = ["ExceptionName", "Numbers", "PickAll", "PickOne", "check_answer", "check_form"]

_PART = "the answer"

_SHORT = reprlib.Repr()
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = 10
_SHORT.maxlevel = 3


def check_form(name: str, answer: Any, form: Form) -> None:
    """Checks that an answer is there and can be read; says nothing about whether it is right.

    Args:
        name: the question, for example `"q1"`.
        answer: the student's answer.
        form: the form asked for.

    Raises:
        graders.report.CheckFailed: if there is no answer, or it cannot be read.
    """
    _, result = _read(name, "can be read (marked after you submit)", answer, form)
    deliver(result)


def check_answer(
    name: str, answer: Any, form: Form, *, key: Any, explain: Mapping[Any, str], section: str
) -> None:
    """Marks an answer.

    Args:
        name: the question, for example `"q1"`.
        answer: the student's answer.
        form: the form asked for.
        key: the right answer, in this form.
        explain: why each option is right or wrong: by letter, by exception, or by pattern of
            numbers (see `graders.forms`).
        section: the section of the chapter to go back to, for example `"1.2"`.

    Raises:
        ValueError: if the key does not have this form, or an option is not explained.
        graders.report.CheckFailed: unless the answer is right.
    """
    right = form.read(leaves_of(key))
    unexplained = form.unexplained(right, explain)
    if unexplained:
        raise ValueError(f"{name}: explain has no entry for {unexplained[0]!r}.")
    came, result = _read(name, "answer", answer, form)
    if result.passed:
        findings = tuple(
            Finding(
                "quiz/wrong",
                f"{name}: {headline}",
                came=form.write(came),
                expected=form.write(right),
                why=why,
                next_step=f"Read section {section} of the chapter again, and run the lines of "
                "the question in a cell of your own.",
                part=_PART,
            )
            for headline, why in form.judge(came, right, explain)
        )
        if findings:
            result = _result(name, result.title, Outcome.FAILED, *findings)
    deliver(result)


def _read(name: str, title: str, answer: Any, form: Form) -> tuple[Any, Result]:
    """The answer as `form` reads it, and what to report about its form."""
    read: list[Any] = []

    def judge(value: Any) -> list[Finding] | None:
        try:
            leaves = _plain_leaves(value)
            if not leaves:
                return None
            if isinstance(value, set | frozenset) and not form.takes_sets:
                raise FormError("the order matters here, and a set has none")
            read.append(form.read(leaves))
        except FormError as error:
            came = _SHORT.repr(value) if _is_plain(value) else _kind(value)
            return [_misshapen(name, form, came, f"{error}.")]
        return []

    if isinstance(answer, Undefined) and answer.status == RAISED and answer.problem is not None:
        # Most often quotes are missing: q1 = b.
        why = "The cell with your answer stops with an exception."
        finding = _misshapen(name, form, told(answer.problem), why)
        return None, _result(name, title, Outcome.FAILED, finding)
    result = examine_data("quiz", name, title, answer, judge)
    if result.outcome is Outcome.NOT_ATTEMPTED:
        result = _result(name, title, result.outcome, _unanswered(name, form))
    return (read[0] if read else None), result


def _plain_leaves(value: Any) -> list[Any]:
    if not _is_plain(value):
        raise FormError("this is neither text nor a number, nor a short list of such")
    return leaves_of(value)


def _is_plain(value: Any) -> bool:
    try:
        values.encode(value)
    except values.NotPlainError:
        return False
    return True


def _kind(value: Any) -> str:
    """What a value is that is no plain data, here or in the student's kernel."""
    if callable(value):
        return "a function"
    return f"a value of type {getattr(value, 'kind', type(value).__name__)}"


def _result(name: str, title: str, outcome: Outcome, *findings: Finding) -> Result:
    return Result(name, title, outcome, findings, ((title, outcome),))


def _unanswered(name: str, form: Form) -> Finding:
    return Finding(
        "quiz/unanswered",
        f"{name} has no answer yet",
        expected=form.words,
        next_step=f"Write your answer like this: {name} = {form.example}",
        part=_PART,
    )


def _misshapen(name: str, form: Form, came: str, why: str) -> Finding:
    return Finding(
        "quiz/form",
        f"{name} cannot be read as an answer",
        came=came,
        expected=form.words,
        why=why[0].upper() + why[1:],
        next_step=f"Write it like this: {name} = {form.example}",
        part=_PART,
    )
