"""Answer files: a solution cell's source each, and notebooks filled with them.

The tests, the demo and the benchmark make classes of them. An answer file's cells are
separated by `# %% <grade_id>`. Comment lines `# expect: <code>` before the first cell say
what a wrong answer must be told; the first one is the misunderstanding it shows.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode


@dataclass(frozen=True)
class Answer:
    """An answer to one exercise.

    Attributes:
        path: its file, `<folder>/<exercise>/<right or wrong>/<name>.py`.
        cells: source by grade_id.
        expect: the codes it must be told.
    """

    path: Path
    cells: dict[str, str]
    expect: tuple[str, ...]

    @property
    def exercise(self) -> str:
        """The exercise's name."""
        return self.path.parent.parent.name

    @property
    def right(self) -> bool:
        """Whether it deserves full marks."""
        return self.path.parent.name == "right"

    @property
    def name(self) -> str:
        """`exercise/right/name`."""
        return f"{self.exercise}/{self.path.parent.name}/{self.path.stem}"


def read(path: Path) -> Answer:
    """Reads an answer file."""
    head, *rest = re.split(r"^# %% (\S+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return Answer(
        path=path,
        cells={name: body.strip() + "\n" for name, body in zip(rest[::2], rest[1::2], strict=True)},
        expect=tuple(re.findall(r"^# expect: (\S+)$", head, flags=re.MULTILINE)),
    )


def find(folder: Path, exercise: str, kind: str = "*") -> list[Answer]:
    """The answers to one exercise; kind is `right`, `wrong` or `*`."""
    return [read(path) for path in sorted(folder.glob(f"{exercise}/{kind}/*.py"))]


def all_cells(folder: Path, exercise: str, turn: int) -> dict[str, str]:
    """A right source for every cell of an exercise, from one right answer or several.

    Args:
        folder: the answers.
        exercise: the exercise's name.
        turn: the right answer to begin with, counted round.
    """
    right = find(folder, exercise, "right")
    cells: dict[str, str] = {}
    for number in range(len(right)):
        for name, source in right[(turn + number) % len(right)].cells.items():
            cells.setdefault(name, source)
    return cells


def fill(notebook: NotebookNode, cells: Mapping[str, str]) -> NotebookNode:
    """A copy of a release notebook with the source of answer cells replaced.

    Args:
        notebook: the release notebook.
        cells: source by grade_id; other cells stay as they are.
    """
    filled = copy.deepcopy(notebook)
    for cell in filled.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name in cells:
            cell.source = cells[name].rstrip("\n")
    return filled
