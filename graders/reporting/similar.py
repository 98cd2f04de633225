"""Pairs of answers that are built more alike than the task makes them: a list to look at.

An answer counts by the parts of its syntax tree, with its own names taken out. A part that
most of the class writes weighs next to nothing, one that only two write weighs most.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nbformat import NotebookNode
from nbgrader.utils import is_solution

from graders.grading.stubs import released
from graders.reporting.classroom import Classroom

ALIKE = 0.8
"""From this share of common weight on a pair is listed."""

COMMON = 0.1
"""What more than this share of the class writes is no sign of anything."""

FEWEST = 5
"""With fewer answers nothing can be told from what the task forces."""

LONGEST = 20_000
"""Characters of the longest answer that is compared."""

SMALLEST = 3
"""Nodes of the smallest part that counts."""


@dataclass(frozen=True)
class Pair:
    """Two answers that are built alike.

    Attributes:
        answer: the name of what is defined.
        notebook: where.
        students: the two.
        alike: the common share of the weight of both, from 0 to 1.
        shared_by: how many of the class write it as these two do, they included.
        of: how many answered.
        also: what else is the same, or different, in words.
    """

    answer: str
    notebook: str
    students: tuple[str, str]
    alike: float
    shared_by: int
    of: int
    also: str = ""


def pairs(room: Classroom, sources: Mapping[str, NotebookNode]) -> list[Pair]:
    """The pairs to look at, the most alike first.

    Args:
        room: the class.
        sources: the instructor's notebooks by name; only answers that are functions are compared.
    """
    found: list[Pair] = []
    for notebook, source in sources.items():
        stubs = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell.source
                 for cell in released(source).cells}  # fmt: skip
        for cell in source.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            if cell.cell_type != "code" or not is_solution(cell) or not _functions(cell.source):
                continue
            stub = parts(stubs[name])
            answers = {}
            for student, where, grade_id, text in room.code:
                if where == notebook and grade_id == name and parts(text) not in (Counter(), stub):
                    answers[student] = text
            found += _pairs(name, notebook, answers)
    return sorted(found, key=lambda pair: (-pair.alike, pair.shared_by, pair.answer, pair.students))


def _pairs(name: str, notebook: str, answers: Mapping[str, str]) -> list[Pair]:
    if len(answers) < FEWEST:
        return []
    bags = {student: parts(text) for student, text in answers.items()}
    spread = Counter(part for bag in bags.values() for part in bag)
    weight = {part: math.log(len(bags) / number) for part, number in spread.items()}
    alike = {
        pair: _alike(bags[pair[0]], bags[pair[1]], weight)
        for pair in itertools.combinations(sorted(bags), 2)
    }
    near: dict[str, set[str]] = {student: {student} for student in bags}
    for (one, other), share in alike.items():
        if share >= ALIKE:
            near[one].add(other)
            near[other].add(one)
    most = max(2, COMMON * len(bags))
    return [
        Pair(
            name,
            notebook,
            (one, other),
            share,
            len(near[one] | near[other]),
            len(bags),
            _letter(answers[one], answers[other]),
        )
        for (one, other), share in alike.items()
        if share >= ALIKE and len(near[one] | near[other]) <= most
    ]


def _alike(one: Counter[str], other: Counter[str], weight: Mapping[str, float]) -> float:
    def total(bag: Counter[str]) -> float:
        return sum(weight[part] * number for part, number in bag.items())

    union = total(one | other)
    return total(one & other) / union if union else 0.0


def _letter(one: str, other: str) -> str:
    if one.split() == other.split():
        return "the same to the letter"
    names = [
        {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        for text in (one, other)
    ]
    return "the same names" if names[0] == names[1] else "other names"


# --- an answer without what says nothing ----------------------------------------------------


def _functions(text: str) -> list[ast.stmt]:
    try:
        body = ast.parse(text).body if len(text) <= LONGEST else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    kinds = ast.FunctionDef | ast.Lambda
    if not any(isinstance(node, kinds) for node in ast.walk(ast.Module(body, []))):
        return []
    return [node for node in body if not isinstance(node, ast.Import | ast.ImportFrom)]


def parts(text: str) -> Counter[str]:
    """The parts of an answer's syntax tree with the names that it gives taken out.

    Comments, docstrings, annotations and imports say nothing and are left out. An answer
    without a function has no parts.
    """
    body = _functions(text)
    plain = _Plain(set(_own_names(body))).visit(ast.Module(body, []))
    return Counter(
        ast.dump(node)
        for statement in plain.body
        for node in ast.walk(statement)
        if sum(1 for _ in ast.walk(node)) >= SMALLEST
    )


def _own_names(body: Iterable[ast.AST]) -> Iterable[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name
            elif isinstance(node, ast.arg):
                yield node.arg
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


class _Plain(ast.NodeTransformer):
    """Takes out the names that an answer gives, its annotations and its docstrings."""

    def __init__(self, own: set[str]) -> None:
        self._own = own

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.name, node.returns = "_", None
        if len(node.body) > 1 and _is_text(node.body[0]):
            del node.body[0]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        node.name = "_"
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        return ast.Assign([node.target], node.value) if node.value else None

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg("_")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("_", node.ctx) if node.id in self._own else node


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def by_student(found: Sequence[Pair]) -> dict[tuple[str, str], list[str]]:
    """The answers that pairs are about, by student and notebook."""
    wanted: dict[tuple[str, str], list[str]] = {}
    for pair in found:
        for student in pair.students:
            names = wanted.setdefault((student, pair.notebook), [])
            if pair.answer not in names:
                names.append(pair.answer)
    return wanted
