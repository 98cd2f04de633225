"""A class made from the bank of answers, for the benchmarks."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat

from graders.grading import answers, demo
from graders.grading.course import Course, release

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = demo.ASSIGNMENT


def build(folder: Path, students: int) -> Course:
    """A course whose class gives right and wrong answers in turn, and no loop that hangs."""
    bank = ROOT / "tests" / "answers"
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "source", folder / "source")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    for exercise in demo.NOTEBOOKS:
        given = Path("tests", "answers", exercise, "right")
        shutil.copytree(ROOT / given, folder / given)
    course = Course(folder)
    released = release(course, ASSIGNMENT)
    for student in range(students):
        target = course.folder("submitted", f"student{student:03}", ASSIGNMENT)
        target.mkdir(parents=True)
        for number, (exercise, name) in enumerate(demo.NOTEBOOKS.items()):
            kind = "right" if (student + number) % 2 else "wrong"
            found = [
                answer
                for answer in answers.find(bank, exercise, kind)
                if "unbounded" not in "".join(answer.expect)
            ]
            notebook = nbformat.read(released / f"{name}.ipynb", as_version=4)
            turn = 7 * student + number
            cells = answers.all_cells(bank, exercise, turn) | found[turn % len(found)].cells
            nbformat.write(answers.fill(notebook, cells), target / f"{name}.ipynb")
    return course
