"""Mutants of the reference solutions: all checks together have to catch what is not equivalent."""

from __future__ import annotations

import ast
import contextlib
import io
from dataclasses import dataclass
from pathlib import Path

from graders.grading.answers import Answer
from tests import bank
from tests.proof.equivalents import EQUIVALENT
from tests.proof.mutate import Mutant, mutants


@dataclass(frozen=True)
class Case:
    """A mutant of the source's solution of one cell."""

    exercise: str
    cell: str
    mutant: Mutant

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.cell}: {self.mutant.change}"

    @property
    def reason(self) -> str | None:
        """Why it is as good as the original, if it is said to be."""
        return EQUIVALENT.get(self.name)

    def caught(self) -> list[str]:
        """The codes that the first check to catch it tells; none if it gets full marks."""
        path = Path(self.exercise) / "wrong" / "mutant.py"
        with contextlib.redirect_stdout(io.StringIO()):
            session = bank.Session(Answer(path, {self.cell: self.mutant.source}, ()))
            for cell in bank.source_cells(self.exercise):
                if cell.grade and self.cell in cell.source:
                    lost = bank.verdict(session.marks(cells=[cell.grade_id]))
                    if lost:
                        return lost[cell.grade_id]
        return []


def cases() -> list[Case]:
    """All mutants of all solutions."""
    return [
        Case(exercise, cell.grade_id, mutant)
        for exercise in bank.EXERCISES
        for cell in bank.source_cells(exercise)
        if cell.solution
        for mutant in mutants(_answer(cell))
    ]


def part(number: int, parts: int) -> list[tuple[str, str, list[str]]]:
    """Tries every `parts`-th mutant, beginning with `number`; runs in a process of its own.

    Returns:
        For each (exercise, name, codes told).
    """
    return [(case.exercise, case.name, case.caught()) for case in cases()[number::parts]]


def _answer(cell: bank.Cell) -> str:
    """A solution without what stands around it: the function, or what is assigned last."""
    *_, answer = (
        node
        for node in ast.parse(cell.source).body
        if (isinstance(node, ast.FunctionDef) and node.name == cell.grade_id)
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == cell.grade_id)
    )
    return ast.unparse(answer)
