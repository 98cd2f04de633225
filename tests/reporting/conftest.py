from __future__ import annotations

import pytest

from graders.findings import Outcome
from graders.grading.course import Course
from graders.reporting.classroom import Classroom, load
from tests import made_class


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Sixty students with known misconceptions, and four whose work needs a person."""
    special = [
        made_class.Plan("t-crashed", stopped={"newton": Outcome.CRASHED}),
        made_class.Plan("t-missing", stopped={"quiz": Outcome.MISSING}),
        made_class.Plan("t-slow", stopped={"returns": Outcome.TIMED_OUT}),
        made_class.Plan("t-unreadable", stopped={"softmax": Outcome.UNREADABLE}),
    ]
    root = tmp_path_factory.mktemp("course")
    course = made_class.build(root, [*made_class.plans(), *special])
    made_class.enter(course, {"t-absent": []})
    with course.gradebook() as gradebook:
        grade = gradebook.find_grade("returns-scan", "1-discounted-returns", "control-flow", "s01")
        grade.manual_score = 1.5
        stale = gradebook.find_submission_notebook("5-quiz", "control-flow", "s02")
        for entry in stale.grades:
            entry.auto_score = None
            entry.needs_manual_grade = True
        gradebook.db.commit()
    return course


@pytest.fixture(scope="session")
def room(course: Course) -> Classroom:
    return load(course, "control-flow")
