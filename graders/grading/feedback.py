"""Feedback for students: nbgrader's HTML, from its own converter."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path

from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from graders.grading.course import Course, CourseError


def generate(
    course: Course, assignment: str, students: Sequence[str], executor: Executor
) -> dict[str, Path]:
    """Writes feedback for students whose work is graded.

    Args:
        course: the course.
        assignment: the assignment's name.
        students: their ids.
        executor: runs one task for each student.

    Returns:
        The folder with the pages, by student.

    Raises:
        CourseError: if a page cannot be made.
    """
    futures = {
        student: executor.submit(generate_one, str(course.root), assignment, student)
        for student in students
    }
    for student, future in futures.items():
        problem = future.result()
        if problem:
            raise CourseError(f"The feedback for {student} cannot be written: {problem}")
    return {student: course.folder("feedback", student, assignment) for student in students}


def generate_one(root: str, assignment: str, student: str) -> str:
    """Writes one student's feedback; returns what went wrong, or `""`."""
    course = Course(Path(root))
    config = Config(course.config)
    config.CourseDirectory.assignment_id = assignment
    config.CourseDirectory.student_id = student
    converter = GenerateFeedback(coursedir=CourseDirectory(config=config), config=config)
    converter.force = True
    converter.log = logging.getLogger("graders.nbgrader")
    converter.log.setLevel(logging.CRITICAL)
    try:
        converter.start()
    except NbGraderException as error:
        return str(error)
    return ""
