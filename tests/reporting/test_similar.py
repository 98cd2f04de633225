from __future__ import annotations

from pathlib import Path

import pytest

from graders.grading.answers import read
from graders.grading.course import Course
from graders.grading.judge import Settings
from graders.reporting import similar, traced
from graders.reporting.classroom import Classroom
from tests.made_class import ROOT

NOTEBOOK = "1-discounted-returns"
NAME = "discounted_returns"
RIGHT = ROOT / "tests" / "answers" / "returns" / "right"

COPIED = """
def discounted_returns(rewards, dones, gamma):
    # twice around, and back again
    keep = gamma * (1.0 - dones.astype(rewards.dtype))
    def fold(later, pair):
        now = pair[0] * 1.0 + pair[1] * later
        return now, now + 0.0
    last, found = lax.scan(fold, jnp.zeros_like(rewards[0]), (rewards, keep), reverse=True)
    return found
"""

DISGUISED = '''
import numpy as np
def discounted_returns(r, d, g):
    """My own work."""
    weights: jax.Array = g * (1.0 - d.astype(r.dtype))
    def step(carry, inputs):
        total = inputs[0] * 1.0 + inputs[1] * carry
        return total, total + 0.0
    end, out = lax.scan(step, jnp.zeros_like(r[0]), (r, weights), reverse=True)
    return out
'''


def room(answers: dict[str, str]) -> Classroom:
    setup = ("import jax\nimport jax.numpy as jnp\nfrom jax import lax",)
    code = []
    for student, text in answers.items():
        code += [(student, NOTEBOOK, "setup", setup[0]), (student, NOTEBOOK, NAME, text)]
    return Classroom("control-flow", (NOTEBOOK,), (), (), (), tuple(code))


@pytest.fixture(scope="module")
def others() -> dict[str, str]:
    """What a class writes: each answer of the bank once, the textbook's twelve times."""
    answers = {path.stem: read(path).cells[NAME] for path in sorted(RIGHT.glob("*.py"))}
    textbook = read(RIGHT / "textbook.py").cells[NAME]
    return {**answers, **{f"like-the-book-{n}": textbook for n in range(12)}}


def found(answers: dict[str, str]) -> list[similar.Pair]:
    return similar.pairs(room(answers), Course(ROOT).sources("control-flow"))


def test_a_disguised_copy_is_found_and_the_textbook_is_not(others: dict[str, str]) -> None:
    pairs = found({**others, "zoe": COPIED, "yan": DISGUISED})
    assert pairs[0].students == ("yan", "zoe")
    assert pairs[0].alike == pytest.approx(1.0)
    assert (pairs[0].shared_by, pairs[0].of) == (2, len(others) + 2)
    assert pairs[0].also == "other names"
    assert not any("like-the-book" in name for pair in pairs for name in pair.students)


def test_a_copy_to_the_letter_is_said_to_be_one(others: dict[str, str]) -> None:
    [pair, *_] = found({**others, "zoe": COPIED, "yan": COPIED.replace("\n    ", "\n\n    ")})
    assert pair.students == ("yan", "zoe")
    assert pair.also == "the same to the letter"


def test_what_is_not_answered_is_not_alike(others: dict[str, str]) -> None:
    stub = "def discounted_returns(rewards, dones, gamma):\n    raise NotImplementedError()\n"
    names = {name for p in found({**others, "a": stub, "b": stub}) for name in p.students}
    assert not names & {"a", "b"}


def test_a_small_class_tells_nothing() -> None:
    assert found({"a": COPIED, "b": COPIED, "c": COPIED}) == []


@pytest.mark.parametrize("text", ["def f(:", "x = 1", "", "\0"])
def test_what_is_no_function_has_no_parts(text: str) -> None:
    assert not similar.parts(text)


def test_traced_programs_are_compared_in_kernels(tmp_path: Path) -> None:
    answers = {"a": COPIED, "b": DISGUISED, "c": COPIED.replace("later\n", "later * 1.0\n")}
    pairs = [
        similar.Pair(NAME, NOTEBOOK, (one, other), 1.0, 2, 9)
        for one, other in (("a", "b"), ("a", "c"))
    ]
    told = traced.compare(room(answers), pairs, Settings())
    assert [pair.also for pair in told] == ["the same traced program", "another traced program"]
