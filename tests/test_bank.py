"""The bank of answers: right ones get full marks, wrong ones are told what is wrong.

Neither the seeds of the hidden checks nor the tolerances decide anything. Here each answer meets
one other seed; `make proof` tries fifty.
"""

import zlib

import pytest

from graders import _newton_words, _piecewise_words, _returns_words, _softmax_words
from graders.compare import tolerances_scaled
from graders.findings import Outcome
from graders.grading.answers import Answer
from tests import bank
from tests.versions.settings import expected

BANK = {exercise: (bank.answers(exercise, "right"), bank.answers(exercise, "wrong"))
        for exercise in bank.EXERCISES}  # fmt: skip
WRITTEN_DOWN = expected()
TOLD = {
    "returns": _returns_words.TELL, "newton": _newton_words.TELL,
    "softmax": _softmax_words.TELL, "piecewise": _piecewise_words.TELL,
}  # fmt: skip


def each(*kinds):
    """A test for each answer of these kinds: 0 for right ones, 1 for wrong ones."""
    found = [answer for pair in BANK.values() for kind in kinds for answer in pair[kind]]
    return pytest.mark.parametrize("answer", found, ids=lambda answer: answer.name)


@each(0, 1)
def test_an_answer_gets_its_marks_and_is_told_why_whatever_seeds_and_tolerances(answer):
    session = bank.Session(answer)
    marks = session.marks()
    bank.keep(answer, marks)
    lost = bank.verdict(marks)
    assert lost == WRITTEN_DOWN.get(answer.name), "python -m tests.versions --refresh writes anew"
    codes = [code for told in lost.values() for code in told]
    if answer.right:
        assert lost == {}
        assert all(mark.codes == () for mark in marks.values())
    else:
        assert codes[0] == answer.expect[0], lost
        assert set(codes) == set(answer.expect), lost
    with tolerances_scaled(0.5 if answer.right else 2):
        # Between two misconceptions about a result that is nearly right, they may decide.
        assert bank.verdict(session.marks()).keys() == lost.keys()
    seed = 1 + zlib.crc32(answer.name.encode()) % 50
    assert bank.verdict(session.marks(bank.hidden_seeds(seed))) == lost, f"seed {seed}"


@pytest.mark.parametrize("exercise", bank.EXERCISES)
def test_the_notebooks_own_solutions_get_full_marks(exercise):
    assert bank.verdict(bank.grade(None, exercise)) == {}


@pytest.mark.parametrize("exercise", bank.EXERCISES)
def test_the_bank_is_large_and_no_answer_is_in_it_twice(exercise):
    right, wrong = BANK[exercise]
    assert len(right) >= 15
    assert len(wrong) >= 30
    sources = [tuple(answer.cells.items()) for answer in right + wrong]
    assert len(set(sources)) == len(sources)


@pytest.mark.parametrize("exercise", TOLD)
def test_each_code_is_shown_by_two_unlike_answers(exercise):
    first = [answer.expect[0] for answer in BANK[exercise][1]]
    assert {code for code in TOLD[exercise] if first.count(code) < 2} == set()


@pytest.mark.parametrize("exercise", bank.EXERCISES)
def test_an_unanswered_cell_is_not_attempted(exercise):
    for cell in bank.source_cells(exercise):
        if cell.solution:
            name, function = cell.grade_id, cell.source.startswith("def")
            blank = f"def {name}(*args, **more):\n    raise NotImplementedError()\n"
            sources = {name: blank if function else f"{name} = None\n"}
            marks = bank.grade(Answer(BANK[exercise][0][0].path, sources, ()))
            lost = [mark for mark in marks.values() if mark.score < mark.points]
            assert lost
            assert {mark.outcome for mark in lost} == {Outcome.NOT_ATTEMPTED}, name
