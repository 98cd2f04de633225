"""The quiz: what the class chose, question by question."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode

from graders import forms
from graders.forms import Form, FormError
from graders.reporting.classroom import Classroom

NONE, UNREADABLE, COMPUTED = "no answer", "cannot be read", "not written as a plain value"


@dataclass(frozen=True)
class Question:
    """A question, as its test cell states it.

    Attributes:
        name: the name that students assign to.
        notebook: the notebook it is in.
        form: what an answer looks like.
        key: the right answer, as `form` reads it.
        section: the section of the chapter.
    """

    name: str
    notebook: str
    form: Form
    key: Any
    section: str


@dataclass(frozen=True)
class Choices:
    """What the class answered to a question.

    Attributes:
        question: the question.
        counts: (answer, number of students, whether it is right or belongs in the answer),
            most frequent first, or in the options' order where there are options.
        others: (`NONE`, `UNREADABLE` or `COMPUTED`, number of students).
        answers: (student, answer as text), for CSV.
    """

    question: Question
    counts: tuple[tuple[str, int, bool], ...]
    others: tuple[tuple[str, int], ...]
    answers: tuple[tuple[str, str], ...]


def questions(sources: Mapping[str, NotebookNode]) -> list[Question]:
    """The questions of an assignment, from the `check_answer` calls of its test cells."""
    found = []
    for notebook, source in sources.items():
        for cell in source.cells:
            if cell.cell_type == "code" and "check_answer(" in cell.source:
                question = _question(notebook, cell.source)
                if question is not None:
                    found.append(question)
    return found


def _question(notebook: str, source: str) -> Question | None:
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and _name(node.func) == "check_answer"):
            continue
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        try:
            name, form, key = node.args[0], node.args[2], given["key"]
            if not isinstance(form, ast.Call):
                return None
            made = getattr(forms, _name(form.func))(*map(ast.literal_eval, form.args))
            return Question(
                ast.literal_eval(name),
                notebook,
                made,
                made.read(forms.leaves_of(ast.literal_eval(key))),
                ast.literal_eval(given["section"]) if "section" in given else "",
            )
        except (IndexError, KeyError, ValueError, AttributeError, TypeError):
            return None
    return None


def _name(node: ast.expr) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def choices(room: Classroom, asked: list[Question]) -> list[Choices]:
    """What the class answered."""
    code: dict[tuple[str, str], list[str]] = {}
    for student, notebook, _, source in room.code:
        code.setdefault((notebook, student), []).append(source)
    found = []
    for question in asked:
        counts: Counter[str] = Counter()
        others: Counter[str] = Counter()
        answers = []
        for (notebook, student), sources in code.items():
            if notebook != question.notebook:
                continue
            kind, read = read_answer(question, sources)
            if kind:
                others[kind] += 1
                answers.append((student, f"({kind})"))
            else:
                text = question.form.write(read)
                answers.append((student, text))
                counts.update(sorted(read) if isinstance(read, frozenset) else [text])
        options = getattr(question.form, "options", None)
        keys = question.key if options else [question.form.write(question.key)]
        names = list(options) if options else [name for name, _ in counts.most_common(8)]
        found.append(
            Choices(
                question,
                tuple((name, counts[name], name in keys) for name in names),
                tuple(
                    (kind, others[kind]) for kind in (NONE, UNREADABLE, COMPUTED) if others[kind]
                ),
                tuple(answers),
            )
        )
    return found


def read_answer(question: Question, sources: list[str]) -> tuple[str, Any]:
    """What a student answered, without running anything.

    Args:
        question: the question.
        sources: the student's code cells, in order; the last assignment counts.

    Returns:
        (`""`, the answer as the form reads it) or (`NONE`, `UNREADABLE` or `COMPUTED`, `None`).
    """
    value: ast.expr | None = None
    for source in sources:
        try:
            body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(_name(target) == question.name for target in targets):
                    value = node.value
    if value is None:
        return NONE, None
    try:
        named = isinstance(value, ast.Name | ast.Attribute | ast.Call)
        if named and isinstance(question.form, forms.ExceptionName):
            # The class itself is an answer, too.
            value = ast.Constant(ast.unparse(value))
        answer: Any = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return COMPUTED, None
    try:
        leaves = [] if answer is ... else forms.leaves_of(answer)
        if not leaves:
            return NONE, None
        if isinstance(answer, set | frozenset) and not question.form.takes_sets:
            return UNREADABLE, None
        return "", question.form.read(leaves)
    except FormError:
        return UNREADABLE, None
