"""Every situation comes out as it should, and costs nobody else anything."""

import pytest

from tests.situations.cases import CASES
from tests.situations.conftest import HONEST
from tests.situations.toy import POINTS


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.row}-{case.name}")
def test_case(graded, count, case):
    rows = graded.rows[case.name]
    marks = {cell: row.score for cell, row in rows.items()}
    count(case.expected, marks)
    assert marks == case.expected, graded.words(case.name)
    assert graded.in_gradebook(case.name) == case.expected
    lost = {cell: row.status for cell, row in rows.items() if not row.score}
    assert lost == {cell: case.status for cell in case.lost if not case.marks.get(cell)}
    assert all(row.status == "passed" for row in rows.values() if row.score == row.max_score)
    words = graded.words(case.name)
    for told in case.told:
        assert told in words


@pytest.mark.parametrize("student", HONEST)
def test_others_are_not_touched(graded, count, student):
    expected = {cell: float(points) for cell, points in POINTS.items()}
    count(expected, graded.marks(student))
    assert graded.marks(student) == graded.in_gradebook(student) == expected


def test_everything_was_graded(graded):
    assert not graded.report.failures
    assert {row.student for row in graded.report.rows} == {*HONEST, *(c.name for c in CASES)}
