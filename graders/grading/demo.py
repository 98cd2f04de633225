"""A made-up class: released, handed in, graded, with feedback, in a folder of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat

from graders.grading import answers
from graders.grading.course import Course, CourseError, release

ASSIGNMENT = "control-flow"

NOTEBOOKS = {
    "returns": "1-discounted-returns",
    "newton": "2-bounded-newton",
    "softmax": "3-segment-softmax",
    "piecewise": "4-piecewise-switch",
    "quiz": "5-quiz",
}

RIGHT = "right"
BLANK = ""

# For each student and exercise: a right answer, none, or the wrong answer to take, by the
# finding that it shows; numbers pick one of several.
CLASS: dict[str, dict[str, str]] = {
    "ada": dict.fromkeys(NOTEBOOKS, RIGHT),
    "björn": {**dict.fromkeys(NOTEBOOKS, RIGHT), "returns": "returns/ignores-dones"},
    "chen": {**dict.fromkeys(NOTEBOOKS, RIGHT), "newton": "newton/counts-idle-steps"},
    "divya": {**dict.fromkeys(NOTEBOOKS, RIGHT), "softmax": "softmax/no-max", "quiz": "quiz/wrong"},
    "emeka": {**dict.fromkeys(NOTEBOOKS, RIGHT), "piecewise": "piecewise/boundary-zero"},
    "farid": {
        "returns": "returns/python-loop", "newton": "newton/not-differentiable",
        "softmax": "softmax/python-loop", "piecewise": "piecewise/no-switch", "quiz": "quiz/wrong",
    },
    "grace": {
        "returns": "returns/flipped-output", "newton": "newton/absolute-tolerance",
        "softmax": "softmax/global-max", "piecewise": "piecewise/python-if", "quiz": "quiz/wrong",
    },
    "hana": {**dict.fromkeys(NOTEBOOKS, RIGHT), "returns": "returns/ignores-dones", "quiz": BLANK},
    "iñigo": {
        "returns": RIGHT, "newton": "newton/unbounded", "softmax": BLANK,
        "piecewise": "piecewise/missing-offset", "quiz": "quiz/wrong",
    },
    "jo": dict.fromkeys(NOTEBOOKS, BLANK),
    "kwame": {
        "returns": "returns/raises", "newton": RIGHT, "softmax": "softmax/empty-segment",
        "piecewise": RIGHT, "quiz": RIGHT,
    },
    "lin": {
        "returns": "returns/ignores-dones", "newton": "newton/counts-idle-steps",
        "softmax": "softmax/no-max", "piecewise": RIGHT, "quiz": "quiz/form",
    },
}  # fmt: skip


def build(
    repository: Path,
    folder: Path,
    say: Callable[[str], None],
    students: Mapping[str, Mapping[str, str]] = CLASS,
) -> Course:
    """Makes the demo course and hands in the class's work.

    Args:
        repository: where `source/`, `nbgrader_config.py` and `tests/answers/` are.
        folder: where the course goes; what an earlier demo left there is replaced.
        say: told what is being done.
        students: for each student and exercise the answer to take, see `CLASS`.

    Returns:
        The course, released and with submissions.

    Raises:
        CourseError: if the repository's parts are not there, or the folder is something else.
    """
    bank = repository / "tests" / "answers"
    if not bank.is_dir() or not (repository / "source" / ASSIGNMENT).is_dir():
        raise CourseError(
            f"{repository} has no tests/answers and source/{ASSIGNMENT}; run the demo in a "
            "checkout of the project."
        )
    marker = folder / ".graders-demo"
    if folder.exists():
        if not marker.exists():
            raise CourseError(f"{folder} exists and is no demo course; give another --course.")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    marker.touch()
    shutil.copytree(repository / "source", folder / "source")
    shutil.copy(repository / "nbgrader_config.py", folder)
    course = Course(folder)
    say("Generating the release, and proving that it gives nothing away")
    released = release(course, ASSIGNMENT)
    say(f"Handing in the work of {len(students)} made-up students")
    for student, choices in students.items():
        target = course.folder("submitted", student, ASSIGNMENT)
        target.mkdir(parents=True)
        for number, (exercise, choice) in enumerate(choices.items()):
            name = f"{NOTEBOOKS[exercise]}.ipynb"
            notebook = nbformat.read(released / name, as_version=4)
            if choice != BLANK:
                turn = list(students).index(student) + number
                # An answer may be to some of the exercise's cells; the others are right then.
                cells = answers.all_cells(bank, exercise, turn)
                if choice != RIGHT:
                    cells |= _wrong(bank, exercise, choice, turn).cells
                notebook = answers.fill(notebook, cells)
            nbformat.write(notebook, target / name)
    return course


def _wrong(bank: Path, exercise: str, code: str, turn: int) -> answers.Answer:
    found = [a for a in answers.find(bank, exercise, "wrong") if a.expect[:1] == (code,)]
    if not found:
        raise CourseError(f"{bank / exercise} has no answer for {code}; add one.")
    return found[turn % len(found)]
