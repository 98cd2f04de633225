"""Forms of quiz answers: reading an answer that is spelled in any way, and comparing it.

How an answer is spelled never costs a mark: case, spaces, quotes, and list, tuple, set or
text are read alike. No form knows a right answer: keys and explanations come from outside.
"""

from __future__ import annotations

import builtins
import math
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np

from graders.compare import as_float, brief

Told = tuple[str, str]
"""What a wrong answer is told: a headline and a reason."""

_FILLERS = frozenset(("and", "answer", "answers", "array", "option", "options"))
_MAX_LEAVES = 50
_MAX_TEXT = 300
_HUGE = 2**60


class FormError(ValueError):
    """An answer does not have the form that was asked for; the message says why."""


class Form(ABC):
    """What an answer looks like."""

    @property
    def takes_sets(self) -> bool:
        """Whether the order does not matter, so that a set will do."""
        return True

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
        return frozenset(letter for text in _texts(leaves) for letter in self._letters(text))

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
    def takes_sets(self) -> bool:
        return self.count == 1

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
        texts = _texts(leaves)
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
    "TracerIntegerConversionError", "UnexpectedTracerError",
)  # fmt: skip

EXCEPTIONS: dict[str, str] = {name.casefold(): name for name in _JAX_ERRORS} | {
    name.casefold(): name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}
"""The exceptions of Python and of `jax.errors`, by their names in lower case."""


# --- reading ------------------------------------------------------------------------------


def leaves_of(plain: Any) -> list[Any]:
    """What is inside of lists, tuples, sets and arrays, in order and in its plainest spelling.

    Args:
        plain: plain data (see `graders.values`).

    Returns:
        The leaves; none if all of them are blank, like `None` or `""`.

    Raises:
        FormError: if there is far too much of it.
    """
    leaves: list[Any] = []

    def collect(item: Any) -> None:
        if isinstance(item, list | tuple | set | frozenset):
            for inner in item:
                collect(inner)
        elif isinstance(item, np.ndarray):
            leaves.extend(item.reshape(-1)[: _MAX_LEAVES + 1].tolist())
        else:
            leaves.append(item)

    collect(plain)
    if len(leaves) > _MAX_LEAVES:
        raise FormError("this is far too long for an answer")
    leaves = [_plainest(leaf) if isinstance(leaf, str) else leaf for leaf in leaves]
    return [] if all(leaf is None or leaf == "" for leaf in leaves) else leaves


def _plainest(text: str) -> str:
    if len(text) > _MAX_TEXT:
        raise FormError("this is far too long for an answer")
    text = unicodedata.normalize("NFKC", text).strip()
    return text if re.search(r"\w", text.replace("_", "")) else ""


def _texts(leaves: list[Any]) -> list[str]:
    if not all(isinstance(leaf, str) for leaf in leaves):
        raise FormError("text in quotes is asked for")
    return [leaf for leaf in leaves if leaf]


def _numbers(leaf: Any) -> Iterator[float]:
    if isinstance(leaf, str):
        for word in re.split(r"[\s,;()\[\]{}'\"]+", leaf):
            if word and word.casefold() not in _FILLERS:
                try:
                    yield float(word)
                except ValueError:
                    raise FormError(f"{brief(word)} is not a number") from None
        return
    if isinstance(leaf, int) and not isinstance(leaf, bool):
        leaf = min(max(leaf, -_HUGE), _HUGE)
    number = None if isinstance(leaf, bool) else as_float(leaf)
    if number is None or number.shape != ():
        raise FormError(f"{brief(leaf)} is not a number")
    yield float(number)


def _alike(came: float, model: float | EllipsisType) -> bool:
    """Whether a number is meant to be another one; keys are integers of at most four digits."""
    if isinstance(model, EllipsisType):
        return True
    return math.isclose(came, model, rel_tol=1e-4, abs_tol=1e-3)


def _places(places: set[int], count: int) -> str:
    if count == 1:
        return "the number is not right"
    if len(places) == 1:
        [place] = places
        return f"number {place + 1} is not right"
    *most, last = (str(place + 1) for place in sorted(places))
    return f"numbers {', '.join(most)} and {last} are not right"
