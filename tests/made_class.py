"""A made-up class of sixty with known misconceptions, graded as the judge grades, without kernels.

Each distinct answer of the bank is graded once, in this process; its marks and messages are then
given to everyone who handed it in, in the form that grading leaves behind: graded notebooks and
the gradebook.
"""

from __future__ import annotations

import functools
import json
import shutil
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output

from graders.findings import Outcome
from graders.grading.answers import Answer, fill, read
from graders.grading.course import Course, register
from graders.grading.demo import ASSIGNMENT, NOTEBOOKS
from graders.grading.intake import released
from graders.grading.judge import KEY
from graders.grading.ledger import Row
from graders.grading.rows import missing_rows
from graders.report import mimebundle
from tests import bank

ROOT = Path(__file__).parent.parent

PLANTED = (
    ("returns/wrong/ignores_dones_unused", 9),
    ("returns/wrong/ignores_dones_wrong_threshold", 5),
    ("returns/wrong/drops_terminal_reward_where", 8),
    ("returns/wrong/python_loop_stacked", 3),
    ("softmax/wrong/no_max", 11),
    ("softmax/wrong/global_max", 4),
    ("quiz/wrong/q1_follows_xs", 12),
    ("quiz/wrong/q7_value_error", 6),
)
"""Wrong answers with the number of students who hand them in; all others are right."""

RIGHT = {
    "returns": "returns/right/textbook",
    "softmax": "softmax/right/plain",
    "quiz": "quiz/right/as_asked",
}


@dataclass
class Plan:
    """What a student hands in: an answer for each exercise that is not the right one."""

    student: str
    answers: dict[str, str] = field(default_factory=dict)
    stopped: dict[str, Outcome] = field(default_factory=dict)


def plans() -> list[Plan]:
    """Sixty students; the misconceptions are spread so that they do not all meet in the same."""
    made = [Plan(f"s{number:02}") for number in range(1, 61)]
    place = 0
    for name, count in PLANTED:
        exercise = name.split("/")[0]
        taken = 0
        while taken < count:
            plan = made[place % len(made)]
            place += 7
            if exercise not in plan.answers:
                plan.answers[exercise] = name
                taken += 1
    return made


def expected() -> list[tuple[str, str, int]]:
    """(code, question, number of students) that a ranking has to show, most frequent first."""
    told: Counter[tuple[str, str]] = Counter()
    for name, count in PLANTED:
        answer = of_bank(name)
        question = answer.path.stem.split("_")[0] if answer.exercise == "quiz" else ""
        for code in answer.expect:
            told[code, question] += count
    return sorted(((*key, n) for key, n in told.items()), key=lambda item: (-item[2], item[:2]))


@functools.cache
def of_bank(name: str) -> Answer:
    answer = read(bank.ANSWERS / f"{name}.py")
    if answer.exercise == "quiz":
        # The other questions are answered right.
        right = read(bank.ANSWERS / f"{RIGHT['quiz']}.py")
        answer = Answer(answer.path, {**right.cells, **answer.cells}, answer.expect)
    return answer


@functools.cache
def graded(name: str) -> dict[str, bank.Mark]:
    """The marks of an answer of the bank; each is graded once."""
    return bank.grade(of_bank(name))


def build(root: Path, students: list[Plan]) -> Course:
    """A course folder in which the class has handed in and is graded."""
    shutil.copytree(ROOT / "source", root / "source")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    course = Course(root)
    register(course, ASSIGNMENT)
    sources = course.sources(ASSIGNMENT)
    everyone = {
        plan.student: _hand_in(course, sources, plan, number)
        for number, plan in enumerate(students)
    }
    enter(course, everyone)
    return course


def _hand_in(
    course: Course, sources: dict[str, NotebookNode], plan: Plan, number: int
) -> list[Row]:
    rows: list[Row] = []
    for exercise, name in NOTEBOOKS.items():
        source = sources[name]
        outcome = plan.stopped.get(exercise)
        if outcome is Outcome.MISSING:
            rows += missing_rows(plan.student, name, source)
            continue
        answer = plan.answers.get(exercise, RIGHT.get(exercise))
        notebook = fill(_released(name), of_bank(answer).cells if answer else {})
        wrong = exercise in plan.answers
        marks = graded(plan.answers[exercise]) if wrong else {}
        own: list[Row] = []
        for cell in notebook.cells:
            entry = cell.metadata.get("nbgrader", {})
            if cell.cell_type != "code" or not entry.get("grade") or entry.get("solution"):
                continue
            mark = marks.get(entry.grade_id)
            points = float(entry.points)
            if outcome is not None:
                row = Row(plan.student, name, entry.grade_id, outcome, 0.0, points, note="why")
            elif mark is None:
                row = Row(plan.student, name, entry.grade_id, Outcome.PASSED, points, points)
            else:
                row = Row(
                    plan.student, name, entry.grade_id, mark.outcome, mark.score, points, mark.codes
                )
                cell.outputs = [
                    new_output("display_data", data=mimebundle(result)) for result in mark.results
                ]
            own.append(replace(row, seconds=0.1 * (number + 1)))
        for step in ("submitted", "autograded"):
            path = course.folder(step, plan.student, ASSIGNMENT) / f"{name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            if step == "autograded":
                notebook.metadata[KEY] = {"rows": [row.to_json() for row in own]}
            path.write_text(json.dumps(notebook), encoding="utf-8")
        rows += own
    return rows


@functools.cache
def _released(name: str) -> NotebookNode:
    return released(nbformat.read(bank.SOURCE / f"{name}.ipynb", as_version=4))


def enter(course: Course, everyone: dict[str, list[Row]]) -> None:
    """Puts students and their marks into the gradebook; without rows only the student."""
    with course.gradebook() as gradebook:
        for student, rows in everyone.items():
            gradebook.add_student(student)
            if not rows:
                continue
            submission = gradebook.add_submission(ASSIGNMENT, student)
            marks = {(row.notebook, row.cell): row.score for row in rows}
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    grade.auto_score = marks[notebook.name, grade.name]
                    grade.needs_manual_grade = False
        gradebook.db.commit()
