"""Mutants of the solutions: a sample here, all of them in `make proof`."""

import pytest

from tests.proof.equivalents import EQUIVALENT
from tests.proof.mutants import cases
from tests.proof.mutate import mutants

CASES = cases()
SAMPLE = [case for case in CASES if case.name not in EQUIVALENT][::12]


def test_the_mutations_are_of_many_kinds():
    assert {case.mutant.kind for case in CASES} == {
        "comparison", "constant", "operator", "argument", "keyword", "index", "call", "order",
        "element", "name",
    }  # fmt: skip
    assert len({case.name for case in CASES}) == len(CASES) > 600


def test_a_program_is_changed_in_one_place():
    found = {mutant.change for mutant in mutants("def f(a, b):\n    return scan(a, reverse=True)")}
    assert found == {
        f"2: return scan(a, reverse=True)  →  return {changed}"
        for changed in (
            "scan(reverse=True)", "a", "scan(a)", "scan(a, reverse=False)", "scan(b, reverse=True)",
        )
    }  # fmt: skip


def test_what_is_listed_as_equivalent_is_there_and_has_a_reason():
    assert EQUIVALENT.keys() <= {case.name for case in CASES}
    assert all(len(reason) > 10 for reason in EQUIVALENT.values())
    assert len(EQUIVALENT) < len(CASES) / 20


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.reason], ids=lambda case: case.name[:60]
)
def test_an_equivalent_mutant_gets_full_marks(case):
    assert case.caught() == []


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.name[:60])
def test_a_mutant_is_caught(case):
    assert case.caught()
