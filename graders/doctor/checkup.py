"""What a check comes to, and running checks so that none stops the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError

INSTALL = "python -m pip install 'graders[instructor]'"
"""What brings all that grading needs."""


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """What a check comes to.

    Attributes:
        name: what was looked at.
        level: how bad it is; a problem needs doing something about, a warning may.
        words: what was found, as a sentence without its full stop.
        advice: what to do; empty if all is well.
    """

    name: str
    level: Level
    words: str
    advice: str = ""


Check = Callable[[], Iterable[Finding]]


def ok(name: str, words: str) -> Finding:
    """All is well."""
    return Finding(name, Level.OK, words)


def warning(name: str, words: str, advice: str) -> Finding:
    """Something to know."""
    return Finding(name, Level.WARNING, words, advice)


def problem(name: str, words: str, advice: str) -> Finding:
    """Something to do."""
    return Finding(name, Level.PROBLEM, words, advice)


def from_sentence(name: str, sentence: str) -> Finding:
    """Something to do, from a message of the form "what is wrong; what to do."."""
    words, _, advice = sentence.rstrip(".").rpartition("; ")
    return problem(name, words or advice, f"{advice[0].upper()}{advice[1:]}.")


def run(checks: Iterable[tuple[str, Check]]) -> Iterator[Finding]:
    """Runs checks one after the other.

    Args:
        checks: each with the name to give if it cannot be made.

    Yields:
        What they come to. A check that raises comes to a problem.
    """
    for name, check in checks:
        try:
            yield from check()
        except Exception as error:
            kind = type(error).__name__
            missing = isinstance(error, ImportError | PackageNotFoundError)
            yield problem(
                name,
                f"this could not be looked at ({kind}: {error})",
                f"Run {INSTALL}."
                if missing
                else "Mend what the message names and run graders doctor again.",
            )
