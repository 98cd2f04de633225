from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from graders.findings import Outcome
from graders.grading.course import Course
from graders.grading.ledger import Row
from graders.reporting import choices, sections, stats
from graders.reporting.classroom import Classroom, of_rows
from tests import made_class


def test_the_ranking_is_what_was_planted(course: Course, room: Classroom) -> None:
    ranking = stats.ranking(room, sections.of_quiz(course.sources("control-flow")))
    told = [(item.code, item.question, len(item.students)) for item in ranking]
    assert told == made_class.expected()
    # 14 by two different answers, which are one misunderstanding.
    assert told[0] == ("returns/ignores-dones", "", 14)


def test_a_misunderstanding_comes_with_its_message_and_section(
    course: Course, room: Classroom
) -> None:
    ranking = stats.ranking(room, sections.of_quiz(course.sources("control-flow")))
    by_key = {item.key: item for item in ranking}
    dones = by_key["returns/ignores-dones", ""]
    assert dones.section == "1.2"
    assert dones.example is not None
    [finding] = {
        f.headline
        for result in made_class.graded("returns/wrong/ignores_dones_unused").values()
        for found in result.results
        for f in found.findings
        if f.code == "returns/ignores-dones"
    }
    assert dones.example.headline == finding
    assert dones.example.why and dones.example.next_step
    assert by_key["quiz/wrong", "q7"].section == "1.6"
    assert all(item.section and item.example for item in ranking)


def test_what_nobody_answered_is_no_misunderstanding() -> None:
    row = Row("a", "n", "c", Outcome.NOT_ATTEMPTED, 0.0, 1.0, ("quiz/unanswered",))
    assert stats.ranking(of_rows("x", [row]), {}) == []


def test_item_analysis_agrees_with_scipy(room: Classroom) -> None:
    """Recomputed from a matrix of marks, by scipy's own point-biserial correlation."""
    students = sorted({mark.row.student for mark in room.marks})
    cells = sorted({mark.row.cell for mark in room.marks})
    score = np.zeros((len(students), len(cells)))
    share = np.full_like(score, np.nan)
    for mark in room.marks:
        place = students.index(mark.row.student), cells.index(mark.row.cell)
        score[place] = mark.score
        if mark.row.status in ("passed", "failed", "timed-out", "crashed"):
            share[place] = mark.score / mark.row.max_score
    compared = 0
    for item in stats.items(room):
        column = cells.index(item.cell)
        there = ~np.isnan(share[:, column])
        assert item.answered == there.sum()
        assert item.difficulty == pytest.approx(share[there, column].mean())
        if set(share[there, column]) == {0.0, 1.0}:
            rest = (score.sum(axis=1) - score[:, column])[there]
            wanted = scipy.stats.pointbiserialr(share[there, column] == 1, rest).statistic
            assert item.discrimination == pytest.approx(wanted)
            compared += 1
    assert compared >= 10


def rows(marks: list[tuple[float, float]], status: str = Outcome.FAILED) -> list[Row]:
    """Two checks, `first` and `second`, for students a, b and so on."""
    return [
        Row(chr(97 + number), "n", cell, status if score == 0 else Outcome.PASSED, score, 1.0)
        for number, pair in enumerate(marks)
        for cell, score in zip(("first", "second"), pair, strict=True)
    ]


def test_discrimination_is_not_told_for_few() -> None:
    [first, _] = stats.items(of_rows("x", rows([(1, 0), (0, 1)] * 4)))
    assert first.discrimination is None
    assert first.reason == "only 8 answered; told from 10 on"
    assert first.difficulty == 0.5


def test_discrimination_is_not_told_where_all_marks_are_the_same() -> None:
    [first, second] = stats.items(of_rows("x", rows([(1, 0), (1, 1)] * 6)))
    assert (first.reason, second.reason) == (
        "all marks are the same",
        "all other marks are the same",
    )


def test_a_check_that_the_good_fail_is_flagged() -> None:
    [first, _] = stats.items(of_rows("x", rows([(1, 0), (0, 1)] * 6)))
    assert first.discrimination == pytest.approx(-1)
    assert "those who know the rest fail it" in first.flags[0]


def test_a_check_that_many_leave_out_is_flagged() -> None:
    marks = [(1.0, 1.0)] * 6 + [(1.0, 0.0)] * 6
    [first, second] = stats.items(of_rows("x", rows(marks, Outcome.NOT_ATTEMPTED)))
    assert first.flags == ()
    assert second.flags == ("6 left it out",)
    assert (second.answered, second.of) == (6, 12)


def test_distribution_leaves_out_what_nobody_could_see(room: Classroom) -> None:
    assert len(stats.shares(room, "3-segment-softmax")) == 63
    assert len(stats.shares(room, "5-quiz")) == 63
    assert len(stats.shares(room, "2-bounded-newton")) == 64
    assert stats.shares(room, "2-bounded-newton").count(0.0) == 1


def test_time_is_told_per_notebook(room: Classroom) -> None:
    timing = {t.notebook: t for t in stats.timings(room)}["1-discounted-returns"]
    # Student n's six checks take 0.1 n seconds each; see tests/made_class.py.
    assert timing.student == "t-unreadable"
    assert timing.longest == pytest.approx(0.6 * 64)
    assert timing.median == pytest.approx(0.6 * 32.5)


def test_the_quiz_by_option(course: Course, room: Classroom) -> None:
    asked = choices.questions(course.sources("control-flow"))
    assert [question.name for question in asked] == [f"q{n}" for n in range(1, 9)]
    first, *_, last = choices.choices(room, asked)
    assert {name: n for name, n, _ in first.counts} == {
        "a": 0, "b": 0, "c": 12, "d": 51, "e": 0,
    }  # fmt: skip
    assert [name for name, _, right in first.counts if right] == ["d"]
    assert last.others == ()


@pytest.mark.parametrize(
    ("sources", "kind", "answer"),
    [
        (['q = "B"'], "", frozenset("b")),
        (['q = "a"', "print(1)\nq = ['c']"], "", frozenset("c")),
        (['q: str = "d"'], "", frozenset("d")),
        (["q = None"], choices.NONE, None),
        (["q = ..."], choices.NONE, None),
        (["p = 1"], choices.NONE, None),
        (["q = chr(98)"], choices.COMPUTED, None),
        (["q = b"], choices.COMPUTED, None),
        (['q = "z"'], choices.UNREADABLE, None),
        (["q = (", 'q = "a"'], "", frozenset("a")),
    ],
)
def test_reading_an_answer_runs_nothing(
    course: Course, sources: list[str], kind: str, answer: object
) -> None:
    first = choices.questions(course.sources("control-flow"))[0]
    assert choices.read_answer(replace(first, name="q"), sources) == (kind, answer)
