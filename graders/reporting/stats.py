"""What the class misunderstood, and what each check tells: plain statistics."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graders.findings import Finding, Outcome
from graders.reporting.classroom import Classroom, Mark
from graders.reporting.sections import section

FEWEST = 10
"""Below this number of answers an item's discrimination is noise and is not shown."""


@dataclass(frozen=True)
class Misunderstanding:
    """A finding, with those who were told it.

    Attributes:
        code: the finding's code.
        question: the question of the quiz, or `""`: there a code alone says little.
        notebook: where it was told.
        students: who were told, each once, however many checks told them.
        of: how many have an answer there.
        section: the section of the chapter to go back to, or `""`.
        example: the message as most students read it, if there is one.
    """

    code: str
    question: str
    notebook: str
    students: tuple[str, ...]
    of: int
    section: str = ""
    example: Finding | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others."""
        return self.code, self.question


def ranking(room: Classroom, questions: Mapping[str, str]) -> list[Misunderstanding]:
    """The findings by the number of students who were told them, most frequent first.

    Args:
        room: the class.
        questions: the quiz's sections by test cell.
    """
    told: dict[tuple[str, str], dict[str, Mark]] = {}
    for mark in room.marks:
        if mark.row.status != Outcome.NOT_ATTEMPTED:
            for code in mark.row.findings:
                told.setdefault(_key(code, mark.row.cell), {}).setdefault(mark.row.student, mark)
    examples: dict[tuple[str, str], list[Finding]] = {}
    for _, _, cell, finding in room.findings:
        examples.setdefault(_key(finding.code, cell), []).append(finding)
    answered = Counter(
        notebook
        for notebook, _ in {(m.row.notebook, m.row.student) for m in room.marks if m.answered}
    )
    found = []
    for (code, question), students in told.items():
        row = next(iter(students.values())).row
        found.append(
            Misunderstanding(
                code,
                question,
                row.notebook,
                tuple(sorted(students)),
                answered[row.notebook],
                section(code, row.cell, questions),
                _typical(examples.get((code, question), [])),
            )
        )
    return sorted(found, key=lambda item: (-len(item.students), item.key))


def _key(code: str, cell: str) -> tuple[str, str]:
    return code, cell.removeprefix("quiz-") if code.startswith("quiz/") else ""


def _typical(findings: Sequence[Finding]) -> Finding | None:
    """The finding that is told most often."""
    counted = Counter((finding.headline, finding.given, finding.came) for finding in findings)
    return max(findings, key=lambda f: counted[f.headline, f.given, f.came], default=None)


@dataclass(frozen=True)
class Item:
    """What a check tells about the class, and the class about the check.

    Attributes:
        notebook: the check's notebook.
        cell: its grade_id.
        answered: how many have an answer that it judged.
        of: how many handed the notebook in.
        difficulty: the mean share of its points among those who answered; `None` without any.
        discrimination: the correlation of its mark with the marks of all other checks among
            those who answered (point-biserial where the mark is all or nothing), or `None`.
        reason: why there is no discrimination, or `""`.
        flags: why a person should look at the check.
    """

    notebook: str
    cell: str
    answered: int
    of: int
    difficulty: float | None
    discrimination: float | None
    reason: str = ""
    flags: tuple[str, ...] = ()


def items(room: Classroom) -> list[Item]:
    """The item analysis, a check after the other."""
    totals: Counter[str] = Counter()
    by_cell: dict[tuple[str, str], list[Mark]] = {}
    for mark in room.marks:
        totals[mark.row.student] += mark.score  # type: ignore[assignment]
        by_cell.setdefault((mark.row.notebook, mark.row.cell), []).append(mark)
    order = {name: number for number, name in enumerate(room.notebooks)}
    return [
        _item(notebook, cell, marks, totals)
        for (notebook, cell), marks in sorted(by_cell.items(), key=lambda pair: order[pair[0][0]])
    ]


def _item(notebook: str, cell: str, marks: Sequence[Mark], totals: Mapping[str, float]) -> Item:
    handed_in = [mark for mark in marks if mark.row.status != Outcome.MISSING]
    judged = [mark for mark in marks if mark.answered]
    shares = np.array([mark.share for mark in judged])
    rest = np.array([totals[mark.row.student] - mark.score for mark in judged])
    difficulty = float(shares.mean()) if judged else None
    discrimination, reason = None, ""
    if len(judged) < FEWEST:
        reason = f"only {len(judged)} answered; told from {FEWEST} on"
    elif np.ptp(shares) == 0:
        reason = "all marks are the same"
    elif np.ptp(rest) == 0:
        reason = "all other marks are the same"
    else:
        discrimination = float(np.corrcoef(shares, rest)[0, 1])
    flags = []
    if discrimination is not None and discrimination < -0.1:
        flags.append("those who know the rest fail it: is the check, or its text, right?")
    elif discrimination is not None and discrimination < 0.1:
        flags.append("it hardly follows the other marks")
    if len(judged) >= FEWEST and difficulty is not None and difficulty < 0.2:
        flags.append("hardly anybody gets it")
    if len(handed_in) >= FEWEST and len(judged) < 0.7 * len(handed_in):
        flags.append(f"{len(handed_in) - len(judged)} left it out")
    stopped = (Outcome.TIMED_OUT, Outcome.CRASHED, Outcome.OUT_OF_MEMORY)
    number = sum(mark.row.status in stopped for mark in marks)
    if number >= 3 and number > 0.1 * len(judged):
        flags.append(f"it stopped {number} times")
    return Item(
        notebook,
        cell,
        len(judged),
        len(handed_in),
        difficulty,
        discrimination,
        reason,
        tuple(flags),
    )


@dataclass(frozen=True)
class Timing:
    """Seconds that grading a notebook took.

    Attributes:
        notebook: its name.
        median: over the students.
        longest: the longest.
        student: whose that was.
    """

    notebook: str
    median: float
    longest: float
    student: str


def timings(room: Classroom) -> list[Timing]:
    """The time per notebook."""
    found = []
    for notebook in room.notebooks:
        spent: Counter[str] = Counter()
        for mark in room.marks:
            if mark.row.notebook == notebook and mark.row.status != Outcome.MISSING:
                spent[mark.row.student] += mark.row.seconds  # type: ignore[assignment]
        if spent:
            [(student, longest)] = spent.most_common(1)
            found.append(Timing(notebook, statistics.median(spent.values()), longest, student))
    return found


def shares(room: Classroom, notebook: str | None = None) -> list[float]:
    """Each student's marks as a share of the points, of one notebook or of all.

    A notebook that is missing or cannot be read is not among them: its zero says nothing about
    what a student understood.
    """
    score: Counter[str] = Counter()
    points: Counter[str] = Counter()
    for mark in room.marks:
        if notebook in (None, mark.row.notebook):
            points[mark.row.student] += mark.row.max_score  # type: ignore[assignment]
            score[mark.row.student] += mark.score  # type: ignore[assignment]
    there = {
        mark.row.student
        for mark in room.marks
        if notebook in (None, mark.row.notebook)
        and (
            mark.by_hand is not None or mark.row.status not in (Outcome.MISSING, Outcome.UNREADABLE)
        )
    }
    return [score[name] / points[name] for name in sorted(there) if points[name]]
