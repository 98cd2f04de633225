"""What a check says: findings, the outcome, and both together as a result."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What became of a check or of a graded cell; each asks a teacher for something else."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_ATTEMPTED = "not-attempted"
    TIMED_OUT = "timed-out"
    CRASHED = "crashed"
    OUT_OF_MEMORY = "out-of-memory"
    MISSING = "missing"
    UNREADABLE = "unreadable"

    @property
    def words(self) -> str:
        """The outcome as a reader should see it."""
        return self.value.replace("-", " ")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with an answer, told so that a student can mend it.

    Attributes:
        code: `exercise/misunderstanding`, the same in ledger, report and feedback.
        headline: what is wrong, in half a sentence.
        given: the smallest input that shows it, or `""`.
        came: what came of it.
        expected: what was expected.
        why: why this happens.
        next_step: what to try next.
        part: the label of the part of the check that shows it.
    """

    code: str
    headline: str
    given: str = ""
    came: str = ""
    expected: str = ""
    why: str = ""
    next_step: str = ""
    part: str = ""


@dataclass(frozen=True)
class Result:
    """What one check came to.

    Attributes:
        subject: the name of what was checked, for example `"discounted_returns"`.
        title: what was checked about it.
        outcome: the outcome.
        findings: all findings, in the order in which a student should read them.
        parts: (label, outcome) of each part of the check.
        see: the line of code that draws the answer, or `""`.
    """

    subject: str
    title: str
    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    parts: tuple[tuple[str, Outcome], ...] = ()
    see: str = ""

    @property
    def passed(self) -> bool:
        """Whether there is nothing to mend."""
        return self.outcome is Outcome.PASSED
