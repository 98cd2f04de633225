"""The quiz: answers are plain assignments, checked for their form first, marked later.

A *form* says what an answer looks like. `check_form` tells a student whether an answer has
it, and nothing more. `check_answer` marks: its key and its explanations stand in the
hidden part of a test cell, never in this module. How an answer is spelled never costs a
mark: case, spaces, quotes, and list, tuple, set or text are read alike.
"""

from __future__ import annotations

import builtins
import math
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import Any

import numpy as np

from graders import values
from graders.checks import deliver, first_sentence, missing
from graders.compare import brief
from graders.findings import Finding, Outcome, Result
from graders.observe import Undefined

Told = tuple[str, str]
"""What a wrong answer is told: a headline and a reason."""

_PART = "answer"
_FILLERS = frozenset(("and", "answer", "answers", "array", "option", "options"))
_MAX_LEAVES = 50
_MAX_TEXT = 300


class FormError(ValueError):
    """An answer does not have the form that was asked for; the message says why."""


class Form(ABC):
    """What an answer looks like."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The form, as a reader should see it."""

    @property
    @abstractmethod
    def example(self) -> str:
        """An answer of this form, as Python source."""

    @abstractmethod
    def read(self, leaves: list[Any]) -> Any:
        """The answer in the one spelling that is compared.

        Raises:
            FormError: if the answer does not have this form.
        """

    @abstractmethod
    def write(self, answer: Any) -> str:
        """What `read` returned, for a message."""

    @abstractmethod
    def judge(self, came: Any, key: Any, explain: Mapping[Any, str]) -> Iterator[Told]:
        """What a wrong answer is told; nothing if `came` is right. Both are as `read` returns."""

    def unexplained(self, key: Any, explain: Mapping[Any, str]) -> list[Any]:
        """The answers that have to be explained and are not."""
        return [needed for needed in (key, ...) if needed not in explain]


@dataclass(frozen=True)
class PickAll(Form):
    """Any number of letters, at least one.

    Attributes:
        options: the letters to choose from, lower case, for example `"abcde"`.
    """

    options: str

    @property
    def words(self) -> str:
        return f"the letters of all that apply, out of {', '.join(self.options)}"

    @property
    def example(self) -> str:
        return '{"a", "b"}'

    def read(self, leaves: list[Any]) -> frozenset[str]:
        return frozenset(letter for text in _texts(leaves, self) for letter in self._letters(text))

    def _letters(self, text: str) -> Iterator[str]:
        for word in re.findall(r"[^\W_]+", text.casefold()):
            if set(word) <= set(self.options):
                yield from word
            elif word not in _FILLERS:
                raise FormError(f"{brief(word)} is not one of the letters {self._span}")

    @property
    def _span(self) -> str:
        return f"{self.options[0]} to {self.options[-1]}"

    def write(self, answer: Iterable[str]) -> str:
        return ", ".join(sorted(answer))

    def judge(
        self, came: frozenset[str], key: frozenset[str], explain: Mapping[Any, str]
    ) -> Iterator[Told]:
        for letter in sorted(came ^ key):
            headline = "does not belong in it" if letter in came else "belongs in it too"
            yield f"{letter} {headline}", explain[letter]

    def unexplained(self, key: Any, explain: Mapping[Any, str]) -> list[Any]:
        return [letter for letter in self.options if letter not in explain]


class PickOne(PickAll):
    """Exactly one letter."""

    @property
    def words(self) -> str:
        return f"one letter, {self._span}"

    @property
    def example(self) -> str:
        return '"a"'

    def read(self, leaves: list[Any]) -> frozenset[str]:
        letters = super().read(leaves)
        if len(letters) != 1:
            raise FormError(f"exactly one letter is asked for, and these are {len(letters)}")
        return letters

    def judge(
        self, came: frozenset[str], key: frozenset[str], explain: Mapping[Any, str]
    ) -> Iterator[Told]:
        if came != key:
            [chosen], [right] = came, key
            yield (
                f"{chosen} is not right",
                f"{explain[chosen]} The answer is {right}: {explain[right]}",
            )


@dataclass(frozen=True)
class Numbers(Form):
    """A fixed number of numbers, in order.

    Explanations are keyed by patterns: a tuple of numbers in which `...` stands for any
    number. `...` alone explains what no pattern does, and the key's own entry says how the
    right numbers come about.

    Attributes:
        count: how many.
    """

    count: int

    @property
    def words(self) -> str:
        return "one number" if self.count == 1 else f"a list of {self.count} numbers"

    @property
    def example(self) -> str:
        return "1" if self.count == 1 else str(list(range(1, self.count + 1)))

    def read(self, leaves: list[Any]) -> tuple[float, ...]:
        numbers = tuple(number for leaf in leaves for number in _numbers(leaf))
        if len(numbers) != self.count:
            raise FormError(f"{self.words} is asked for, and this has {len(numbers)}")
        return numbers

    def write(self, answer: tuple[float, ...]) -> str:
        return brief(np.array(answer), digits=6)

    def judge(
        self, came: tuple[float, ...], key: tuple[float, ...], explain: Mapping[Any, str]
    ) -> Iterator[Told]:
        wrong = {place for place in range(self.count) if not _alike(came[place], key[place])}
        if not wrong:
            return
        told: list[tuple[set[int], str]] = []
        left = set(wrong)
        for pattern, why in explain.items():
            if pattern is ... or pattern == key:
                continue
            places = {place for place in wrong if pattern[place] is not ...}
            if places and all(map(_alike, came, pattern)):
                told.append((places, why))
                left -= places
        if left:
            told.append((left, explain[...]))
        for number, (places, why) in enumerate(told, start=1):
            how = f" The answer is {self.write(key)}: {explain[key]}"
            yield _places(places, self.count), why + (how if number == len(told) else "")


@dataclass(frozen=True)
class ExceptionName(Form):
    """The name of an exception class.

    Explanations are keyed by names; `...` explains all other exceptions.
    """

    words = "the name of an exception"
    example = '"KeyError"'

    def read(self, leaves: list[Any]) -> str:
        texts = _texts(leaves, self)
        if len(texts) != 1:
            raise FormError(f"one exception is asked for, and these are {len(texts)}")
        name = re.sub(r"^(class|raises?|an?|the)\s+", "", texts[0].strip("<>'\"` "), flags=re.I)
        name = re.split("[(:]", name)[0].split(".")[-1]
        name = re.sub(r"[\W_]+", "", name)
        known = EXCEPTIONS.get(name.casefold())
        if known is None:
            raise FormError("neither Python nor jax.errors has an exception of this name")
        return known

    def write(self, answer: str) -> str:
        return answer

    def judge(self, came: str, key: str, explain: Mapping[Any, str]) -> Iterator[Told]:
        if came != key:
            why = explain.get(came, explain[...])
            yield f"{came} is not what is raised", f"{why} The answer is {key}: {explain[key]}"


_JAX_ERRORS = (
    "ConcretizationTypeError", "InconclusiveDimensionOperation", "JAXIndexError",
    "JAXTypeError", "JaxRuntimeError", "JaxprTypeError", "KeyReuseError",
    "NonConcreteBooleanIndexError", "TracerArrayConversionError", "TracerBoolConversionError",
    "TracerIntegerConversionError", "UnexpectedTracerError", "XlaRuntimeError",
)  # fmt: skip

EXCEPTIONS: dict[str, str] = {
    name.casefold(): name
    for name in (
        *(
            name
            for name, kind in vars(builtins).items()
            if isinstance(kind, type) and issubclass(kind, BaseException)
        ),
        *_JAX_ERRORS,
    )
}
"""The exceptions of Python and of `jax.errors`, by their names in lower case."""


# --- checks -------------------------------------------------------------------------------


def check_form(name: str, answer: Any, form: Form) -> None:
    """Checks that an answer is there and can be read; says nothing about whether it is right.

    Args:
        name: the question, for example `"q1"`.
        answer: the student's answer.
        form: the form asked for.

    Raises:
        graders.report.CheckFailed: if there is no answer, or it cannot be read.
    """
    _, result = _read(name, "form only, marked after you submit", answer, form)
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
            numbers (see `Numbers`).
        section: the section of the chapter to go back to.

    Raises:
        ValueError: if the key does not have this form, or an option is not explained.
        graders.report.CheckFailed: unless the answer is right.
    """
    key = form.read(_leaves(key))
    unexplained = form.unexplained(key, explain)
    if unexplained:
        raise ValueError(f"{name}: explain has no entry for {unexplained[0]!r}.")
    came, result = _read(name, "answer", answer, form)
    if result.passed:
        told = list(form.judge(came, key, explain))
        findings = tuple(
            Finding(
                "quiz/wrong",
                headline,
                came=form.write(came),
                expected=form.write(key),
                why=why,
                next_step=f"Read section {section} of the chapter again, and run the lines of "
                "the question in a cell of your own.",
                part=_PART,
            )
            for headline, why in told
        )
        if findings:
            result = _result(name, result.title, Outcome.FAILED, *findings)
    deliver(result)


def _read(name: str, title: str, answer: Any, form: Form) -> tuple[Any, Result]:
    """The answer as `form` reads it, and what to report if that is all that is asked."""
    absent = missing("quiz", answer)
    if absent is not None:
        if absent[0] is Outcome.NOT_ATTEMPTED:
            return None, _unanswered(name, title, form)
        return None, _result(name, title, *absent)
    came = ""
    try:
        if isinstance(answer, Undefined):
            problem = answer.problem
            came = f"{problem.kind}: {first_sentence(problem.message)}" if problem else ""
            raise FormError("the cell with your answer stops with an exception")
        try:
            plain = values.decode(values.encode(answer))
        except Exception:
            came = f"a value of type {type(answer).__name__[:80]}"
            raise FormError("this is neither text nor a number, nor a list of such") from None
        came = brief(plain)
        if isinstance(plain, set) and isinstance(form, Numbers) and form.count > 1:
            raise FormError("the order matters here, and a set has none")
        leaves = _leaves(plain)
        if all(_is_blank(leaf) for leaf in leaves):
            return None, _unanswered(name, title, form)
        return form.read(leaves), _result(name, title, Outcome.PASSED)
    except FormError as error:
        return None, _result(name, title, Outcome.FAILED, _misshapen(name, form, came, str(error)))


def _result(name: str, title: str, outcome: Outcome, *findings: Finding) -> Result:
    return Result(name, title, outcome, findings, ((_PART, outcome),))


def _unanswered(name: str, title: str, form: Form) -> Result:
    finding = Finding(
        "quiz/unanswered",
        f"{name} has no answer yet",
        expected=form.words,
        next_step=f"Write your answer like this: {name} = {form.example}",
        part=_PART,
    )
    return _result(name, title, Outcome.NOT_ATTEMPTED, finding)


def _misshapen(name: str, form: Form, came: str, why: str) -> Finding:
    return Finding(
        "quiz/form",
        f"{name} cannot be read as an answer",
        came=came,
        expected=form.words,
        why=f"{why}.",
        next_step=f"Write it like this: {name} = {form.example}",
        part=_PART,
    )


# --- reading ------------------------------------------------------------------------------


def _leaves(plain: Any) -> list[Any]:
    """What is inside of lists, tuples and sets, in order; text in its plainest spelling."""
    leaves: list[Any] = []

    def collect(item: Any) -> None:
        if isinstance(item, list | tuple | set | frozenset):
            for inner in item:
                collect(inner)
        elif isinstance(item, np.ndarray):
            leaves.extend(item.reshape(-1)[: _MAX_LEAVES + 1])
        else:
            leaves.append(item)

    collect(plain)
    if len(leaves) > _MAX_LEAVES:
        raise FormError(f"it has {len(leaves)} entries or more")
    if any(isinstance(leaf, str) and len(leaf) > _MAX_TEXT for leaf in leaves):
        raise FormError("the text is far too long for an answer")
    return [
        unicodedata.normalize("NFKC", leaf).strip() if isinstance(leaf, str) else leaf
        for leaf in leaves
    ]


def _is_blank(leaf: Any) -> bool:
    return leaf is None or (isinstance(leaf, str) and not leaf.strip(" .?_-'\""))


def _texts(leaves: list[Any], form: Form) -> list[str]:
    texts = [leaf for leaf in leaves if isinstance(leaf, str) and leaf]
    if len(texts) != len(leaves):
        raise FormError("text in quotes is asked for")
    return texts


def _numbers(leaf: Any) -> Iterator[float]:
    if isinstance(leaf, str):
        for word in re.split(r"[\s,;()\[\]{}]+", leaf):
            if word and word.casefold() not in _FILLERS:
                try:
                    yield float(word)
                except ValueError:
                    raise FormError(f"{brief(word)} is not a number") from None
        return
    if isinstance(leaf, bool | np.bool_ | complex | np.complexfloating):
        raise FormError(f"{leaf} is not a real number")
    try:
        yield float(leaf)
    except OverflowError:
        yield math.copysign(math.inf, leaf)
    except (TypeError, ValueError):
        raise FormError(f"a {type(leaf).__name__} is not a number") from None


def _alike(came: float, model: float | EllipsisType) -> bool:
    """Whether a number is meant to be another one; keys are integers, so this is ample."""
    if isinstance(model, EllipsisType):
        return True
    return math.isclose(came, model, rel_tol=1e-3, abs_tol=1e-3)


def _places(places: set[int], count: int) -> str:
    if count == 1:
        return "the number is not right"
    if len(places) == 1:
        [place] = places
        return f"number {place + 1} is not right"
    *most, last = (str(place + 1) for place in sorted(places))
    return f"numbers {', '.join(most)} and {last} are not right"
