"""Finding and repairing: whatever is done to a notebook, each cell of the source is there once."""

import copy

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbgrader.utils import is_solution

from graders.grading.intake import by_name, find_notebooks, repair
from graders.grading.reading import Unreadable, looks_like, parse
from graders.grading.stubs import released
from tests.situations import toy

SOURCE = toy.source()
RELEASED = released(SOURCE)


def submission(tmp_path, **answers):
    made = toy.Submission(RELEASED, tmp_path)
    for name, text in answers.items():
        made[name] = text
    return made


def repaired(made):
    return repair(parse(made.text(), "toy.ipynb"), SOURCE)


def names(notebook):
    return [c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata]


def test_a_right_submission_is_left_alone(tmp_path):
    notebook, notes = repaired(submission(tmp_path))
    assert notes == []
    assert names(notebook) == list(by_name(SOURCE))
    assert {name: by_name(notebook)[name].source for name in toy.ANSWERS} == toy.ANSWERS
    assert by_name(notebook)["double-plain"].source == by_name(SOURCE)["double-plain"].source


CELLS = len(RELEASED.cells)
changes = st.lists(
    st.tuples(
        st.sampled_from(["drop", "copy", "move", "type", "anonymous", "points", "text"]),
        st.integers(0, 30), st.integers(0, 30),
    ),
    max_size=8,
)  # fmt: skip


@given(changes)
@settings(max_examples=60)
def test_every_cell_of_the_source_is_there_once(edits):
    made = submission(None)
    cells = made.nb["cells"]
    for edit, where, other in edits:
        where, other = where % max(1, len(cells)), other % max(1, len(cells))
        if not cells:
            break
        cell = cells[where]
        match edit:
            case "drop":
                del cells[where]
            case "copy":
                cells.insert(other, copy.deepcopy(cell))
            case "move":
                cells.insert(other, cells.pop(where))
            case "type":
                cell["cell_type"] = ["code", "markdown", "raw", "x"][other % 4]
            case "anonymous":
                cell["metadata"] = {}
            case "points":
                if "nbgrader" in cell["metadata"]:
                    cell["metadata"]["nbgrader"]["points"] = 1000
            case "text":
                cell["source"] += "\n# mine"
    try:
        notebook, _ = repaired(made)
    except Unreadable as error:
        assert "unrecognised notebook" in str(error)
        return
    nbformat.validate(notebook)
    reference = by_name(SOURCE)
    assert sorted(names(notebook)) == sorted(reference)
    for name, cell in by_name(notebook).items():
        wanted = reference[name]
        assert cell.cell_type == wanted.cell_type
        assert cell.metadata == wanted.metadata
        assert is_solution(wanted) or cell.source == wanted.source
    tests = [name for name in names(notebook) if name in toy.POINTS]
    assert tests == list(toy.POINTS)


def test_a_note_for_each_change(tmp_path):
    made = submission(tmp_path)
    made.cell("double")["cell_type"] = "raw"
    made["shift-plain"] = "pass"
    made.remove("q1-answer")
    made.insert("shift", made.copy_of("shift"))
    _, notes = repaired(made)
    assert notes == [
        "cell shift was there 2 times; the last answer counts",
        "test cell q1-answer was missing; put back",
        "locked cell shift-plain was not as in the teacher's notebook; restored",
        "cell double had been turned into a raw cell; restored",
    ]


def test_answers_are_found_by_what_they_define(tmp_path):
    source = copy.deepcopy(SOURCE)
    by_name(source)["double"].metadata.nbgrader.grade_id = "exercise-1"
    made = submission(tmp_path)
    made.strip()
    notebook, _ = repair(parse(made.text(), "toy.ipynb"), source)
    assert by_name(notebook)["exercise-1"].source == toy.ANSWERS["double"]


def test_a_source_with_magics(tmp_path):
    source = copy.deepcopy(SOURCE)
    by_name(source)["double"].source = "%matplotlib inline\n" + by_name(source)["double"].source
    made = submission(tmp_path)
    made.strip()
    notebook, _ = repair(parse(made.text(), "toy.ipynb"), source)
    assert by_name(notebook)["double"].source == toy.ANSWERS["double"]


@pytest.mark.parametrize(
    "name",
    ["1-toy (1).ipynb", "1-toy-Copy1.ipynb", "Copy of 1-toy.ipynb", "Kopie von 1-toy.ipynb",
     "1_toy.ipynb", "1-Toy.IPYNB", "1-toy_final_v2.ipynb", "1 toy (2) (1).ipynb",
     "1-toy.ipynb.txt", "1-toy.ipynb.ipynb", "1-toy - copy (3).ipynb"],
)  # fmt: skip
def test_names_alike(name):
    stem = name.removesuffix(".txt")
    assert looks_like(stem, "1-toy")


@pytest.mark.parametrize("name", ["2-toy.ipynb", "1-toys.ipynb", "toy.ipynb", "1-to y2.ipynb"])
def test_names_not_alike(name):
    assert not looks_like(name, "1-toy")


def test_two_notebooks_with_their_names_exchanged_by_a_browser(tmp_path):
    other = copy.deepcopy(SOURCE)
    for cell in other.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id += "-other"
            cell.source = cell.source.replace("double", "twice").replace("q1", "q2")
            cell.source = cell.source.replace("shift", "move")
    sources = {"toy": SOURCE, "other": other}
    for name, source in (("a", other), ("b", SOURCE)):
        nbformat.write(released(source), tmp_path / f"{name}.ipynb")
    found, notes = find_notebooks(tmp_path, sources)
    assert found == {"toy": tmp_path / "b.ipynb", "other": tmp_path / "a.ipynb"}
    assert notes == {"toy": "the file was named b.ipynb", "other": "the file was named a.ipynb"}
