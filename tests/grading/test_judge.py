"""Grading one notebook: statuses, words and marks."""

import copy

import nbformat
import pytest

from graders.grading import judge
from graders.grading.intake import by_name
from graders.grading.judge import Settings
from graders.grading.kernel import CellRun
from graders.grading.stubs import released
from graders.observe import OUT_OF_MEMORY, TIMED_OUT, Observation
from tests.grading.conftest import LocalKernel
from tests.situations import toy


def grade(source=None, **answers):
    """The graded notebook's cells, and the rows, by name."""
    source = source or toy.source()
    notebook = released(source)
    for name, text in {**toy.ANSWERS, **answers}.items():
        by_name(notebook)[name].source = text
    graded, rows = judge.grade(notebook, source, Settings())
    nbformat.validate(graded)
    return by_name(graded), {row.cell: row for row in rows}


@pytest.fixture(autouse=True)
def _local(local):
    pass


def test_right_and_wrong():
    cells, rows = grade(shift="def shift(x):\n    return x")
    assert {name: row.score for name, row in rows.items()} == {
        "double-plain": 2, "double-traced": 1, "q1-answer": 2,
        "shift-plain": 0, "shift-large": 0, "shift-partial": 0,
    }  # fmt: skip
    assert rows["shift-plain"].status == "failed"
    assert cells["double-plain"].outputs == []
    assert cells["shift-plain"].outputs[-1].output_type == "error"
    assert "HIDDEN" in cells["shift-plain"].source


@pytest.mark.parametrize(
    ("answer", "status", "note"),
    [
        ("def shift(x):\n    raise NotImplementedError()", "not-attempted", ""),
        ("pass", "not-attempted", ""),
        ("shift = None", "failed", ""),
        ("def shift(x):\n    raise ValueError('no')", "failed", ""),
        ("def shift(x):\n    return 1 / 0\nshift(0)", "failed", ""),
        ("1 / 0\ndef shift(x):\n    return x + 1", "failed",
         "the cell of shift raised ZeroDivisionError"),
        ("raise MemoryError\ndef shift(x):\n    return x + 1", "out-of-memory", ""),
    ],
)  # fmt: skip
def test_statuses(answer, status, note):
    _, rows = grade(shift=answer)
    assert (rows["shift-plain"].status, rows["shift-plain"].note) == (status, note)
    assert rows["shift-plain"].score == 0
    assert rows["double-plain"].status == "passed"


@pytest.mark.parametrize("status", [TIMED_OUT, OUT_OF_MEMORY])
def test_a_call_that_does_not_come_back(monkeypatch, status):
    def observe(self, name, calls):
        if name == "shift":
            return tuple(Observation(status) for _ in calls)
        return LocalKernel.observe(self, name, calls)

    kernel = type("Kernel", (LocalKernel,), {"observe": observe})
    monkeypatch.setattr(judge, "StudentKernel", kernel)
    cells, rows = grade()
    assert rows["shift-partial"].status == status
    assert cells["shift-partial"].outputs[-1].evalue == status.replace("-", " ")
    assert rows["double-traced"].status == "passed"


def test_a_cell_that_does_not_come_back(monkeypatch):
    def run_cell(self, source):
        return CellRun("crashed") if "shift" in source else LocalKernel.run_cell(self, source)

    monkeypatch.setattr(
        judge, "StudentKernel", type("Kernel", (LocalKernel,), {"run_cell": run_cell})
    )
    cells, rows = grade()
    assert {rows[name].status for name in toy.SHIFT} == {"crashed"}
    assert "ended the Python process" in cells["shift"].outputs[-1].evalue
    assert rows["q1-answer"].status == "passed"


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ("shift(1.0)", "the test's value is the student's own, and so no mark"),
        ("q1", "the test's value is the student's own, and so no mark"),
        ("shift(float('nan')) * 1", "is not a mark between 0 and the cell's points"),
        ("99", "is not a mark between 0 and the cell's points"),
        ("'1.0'", "is not a mark between 0 and the cell's points"),
    ],
)
def test_a_value_that_is_no_mark(test, told):
    source = copy.deepcopy(toy.source())
    by_name(source)["shift-large"].source = test
    _, rows = grade(source, q1="q1 = 1.0")
    row = rows["shift-large"]
    assert (row.status, row.score) == ("failed", 0.0)
    assert told in row.note


def test_an_instructors_syntax_error_costs_one_cell():
    source = copy.deepcopy(toy.source())
    by_name(source)["shift-large"].source = "assert shift(1 =="
    _, rows = grade(source)
    assert {name for name, row in rows.items() if row.status == "failed"} == {"shift-large"}


def test_partial_credit_is_what_nbgrader_reads():
    cells, rows = grade(shift="import numpy as np\ndef shift(x):\n    return 0 * x + 2")
    assert rows["shift-partial"].score == 1.0
    assert cells["shift-partial"].outputs[-1].data == {"text/plain": "1.0"}
