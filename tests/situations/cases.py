"""The registry of situations: each is one student of one class."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.situations.toy import POINTS


@dataclass(frozen=True)
class Case:
    """A situation.

    Attributes:
        name: the student's id.
        row: the number of its kind.
        spoil: changes a right submission.
        lost: the test cells that are to earn nothing; all others earn all.
        status: what the lost cells come to.
        told: words that the notes, or the student's outputs, must have.
        hostile: whether it tries for marks that it does not deserve.
    """

    name: str
    row: int
    spoil: Callable
    lost: tuple[str, ...] = ()
    status: str = "failed"
    told: tuple[str, ...] = ()
    hostile: bool = False
    marks: dict[str, float] = field(default_factory=dict)

    @property
    def expected(self):
        """The marks by test cell."""
        marks = {cell: 0.0 if cell in self.lost else float(p) for cell, p in POINTS.items()}
        return {**marks, **self.marks}


CASES: list[Case] = []


def case(row, **expected):
    """Registers a function that changes a submission."""

    def register(spoil):
        expected["told"] = tuple(expected.get("told", ()))
        CASES.append(Case(spoil.__name__.replace("_", "-"), row, spoil, **expected))
        return spoil

    return register
