"""Each answer of the bank, tried: its verdict, and whether seeds or tolerances change it."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graders import newton
from graders.compare import tolerances_scaled
from graders.grading.answers import Answer
from tests import bank

SEEDS = 50


@dataclass(frozen=True)
class Trial:
    """What became of an answer.

    Attributes:
        name: the answer's name.
        right: whether it deserves full marks.
        expect: the codes it must be told, the misunderstanding that it shows first.
        told: the codes it was told, in the order of the test cells.
        seeds: the seeds of hidden checks under which its verdict is another one.
        tolerances: whether points change with tolerances halved, or doubled if it is wrong.
    """

    name: str
    right: bool
    expect: tuple[str, ...]
    told: tuple[str, ...]
    seeds: tuple[int, ...] = ()
    tolerances: bool = False

    @property
    def exercise(self) -> str:
        """The exercise's name."""
        return self.name.split("/")[0]

    @property
    def passed(self) -> bool:
        """Whether it got full marks and no finding."""
        return not self.told

    @property
    def named(self) -> bool:
        """Whether it was told its misunderstanding first, and nothing that it should not be."""
        return self.told[:1] == self.expect[:1] and set(self.told) == set(self.expect)


def tried(answer: Answer, seeds: Iterable[int]) -> Trial:
    """Tries an answer; each new seed costs the calls of the hidden checks, a tolerance nothing."""
    session = bank.Session(answer)
    marks = session.marks()
    lost = bank.verdict(marks)
    # Of a result that is nearly right, the tolerance may decide what is told, but no points.
    with tolerances_scaled(0.5 if answer.right else 2):
        other = bank.verdict(session.marks())
    changed = []
    cells = _seeded(answer)
    for seed in seeds if cells else ():
        again = bank.verdict(session.marks(bank.hidden_seeds(seed), cells))
        if again != {name: codes for name, codes in lost.items() if name in cells}:
            changed.append(seed)
    return Trial(
        answer.name,
        answer.right,
        answer.expect,
        tuple(dict.fromkeys(code for codes in lost.values() for code in codes)),
        tuple(changed),
        other.keys() != lost.keys(),
    )


def _seeded(answer: Answer) -> list[str]:
    """The test cells with seeds in their hidden part that look at what the answer defines."""
    return [
        cell.grade_id
        for cell in bank.source_cells(answer.exercise)
        if cell.grade
        and bank.hidden_seeds(1)(cell.source) != cell.source
        and any(name in cell.source for name in answer.cells)
    ]


def part(number: int, parts: int, seeds: int = SEEDS) -> list[Trial]:
    """Tries every `parts`-th answer, beginning with `number`; runs in a process of its own."""
    # Drawing numbers whose count is certain takes longer than calling an answer with them.
    newton.draw = functools.cache(newton.draw)  # type: ignore[assignment]
    with contextlib.redirect_stdout(io.StringIO()):
        return [tried(a, range(1, seeds + 1)) for a in bank.answers()[number::parts]]


def confusion(trials: Iterable[Trial]) -> dict[tuple[str, str], int]:
    """For each misunderstanding given and misunderstanding named first, how many answers."""
    counts: dict[tuple[str, str], int] = {}
    for trial in trials:
        if not trial.right:
            key = trial.expect[0], trial.told[0] if trial.told else "(passed)"
            counts[key] = counts.get(key, 0) + 1
    return counts


def matrix(trials: Iterable[Trial]) -> Iterator[str]:
    """The confusion matrix of one exercise, as lines; a dot stands for 0."""
    counts = confusion(trials)
    codes = sorted({code for pair in counts for code in pair})
    width = max(map(len, codes), default=0)
    yield f"{'given, by row':{width}}  named, by column in the same order"
    for row in codes:
        cells = "".join(f"{counts.get((row, column), 0) or '.':>3}" for column in codes)
        yield f"{row:{width}} {cells}"
