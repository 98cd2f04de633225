"""A class in which half of the submissions attack the other half."""

import pytest

from tests.confinement.test_promises import USERS, told_by

FULL = 10.0


@pytest.fixture(scope="module")
def room():
    """What became of the class, by user and mode; each combination is run once."""
    known = {}

    def run(user, mode):
        if (user, mode) not in known:
            known[user, mode] = told_by("room.py", mode, user, timeout=300)
        return known[user, mode]

    return run


@pytest.mark.parametrize("user", USERS)
def test_all_marks_are_as_when_graded_alone(room, user):
    result = room(user, "required")
    assert (result["user"] == 0) == (user == "root")
    assert len(result["together"]) == 8
    assert result["failures"] == []
    assert result["together"] == result["alone"] == result["booked"]
    totals = {name: sum(marks.values()) for name, marks in result["alone"].items()}
    assert totals["s2-right"] == FULL
    assert all(total < FULL for name, total in totals.items() if name != "s2-right")


@pytest.mark.parametrize("user", USERS)
def test_nothing_outside_has_changed(room, user):
    result = room(user, "required")
    assert result["changed"] == []
    assert result["left"] == []


def test_unconfined_the_attack_succeeds(room):
    """The same attack on files, so that the tests above can fail."""
    result = room(USERS[-1], "off")
    assert "home/letter" in result["changed"]
    assert "source/toy/toy.ipynb" in " ".join(result["changed"])
    assert "course/submitted/s2-right/toy/toy.ipynb" in result["changed"]
