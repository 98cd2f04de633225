"""A submission's files."""

import json

import pytest

from graders.grading import reading
from graders.grading.reading import Unreadable, files_in, parse, read, read_files

EMPTY = {"cells": [], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}


def cells(*sources, **entries):
    made = [{"cell_type": "code", "source": source, **entries} for source in sources]
    return json.dumps({**EMPTY, "cells": made})


def test_only_names_are_kept_of_a_students_metadata():
    entry = {"nbgrader": {"grade_id": "a", "points": 9, "grade": True}, "tags": ["x"]}
    [cell] = parse(cells("1", metadata=entry), "x").cells
    assert cell.metadata == {"nbgrader": {"grade_id": "a"}}
    [cell] = parse(cells("1", metadata=entry), "x", keep_metadata=True).cells
    assert cell.metadata == entry


def test_outputs_are_left_behind():
    [cell] = parse(cells("1", outputs=[{"output_type": "stream", "text": "x"}]), "x").cells
    assert cell.outputs == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "x.ipynb is empty"),
        ("{", "x.ipynb, line 1: it is not complete JSON"),
        ("{}", "x.ipynb is JSON, but not a notebook"),
        ('{"cells": {"a": 1}}\n', None),
        ('{\n<<<<<<< HEAD\n"cells"', "x.ipynb, line 2: there are merge-conflict markers"),
        ('{"worksheets": 3}', "x.ipynb is not a notebook that can be read"),
    ],
)
def test_what_cannot_be_read_is_told(text, told):
    if told is None:
        assert parse(text, "x.ipynb").cells == []
        return
    with pytest.raises(Unreadable) as caught:
        parse(text, "x.ipynb")
    assert told in str(caught.value)


def test_conflict_markers_inside_a_cell_are_text():
    [cell] = parse(cells("a = '''\n<<<<<<< HEAD\n'''\u2028<<<<<<< "), "x").cells
    assert "<<<<<<< HEAD" in cell.source


def test_no_permission(tmp_path):
    path = tmp_path / "x.ipynb"
    with pytest.raises(Unreadable, match=r"x\.ipynb cannot be read: No such file"):
        read(path)


def test_other_files(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("a")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "b.txt").write_text("b")
    (tmp_path / "toy.ipynb").write_text("{}")
    (tmp_path / "link").symlink_to("data/a.txt")
    (tmp_path / "linked").symlink_to("data")
    assert read_files(tmp_path) == {"data/a.txt": b"a"}
    monkeypatch.setattr(reading, "MAX_SIZE", 0)
    assert read_files(tmp_path) == {}
    monkeypatch.setattr(reading, "MAX_FILES", 1)
    assert len(list(files_in(tmp_path))) == 1
    (tmp_path.parent / "elsewhere").symlink_to(tmp_path)
    assert list(files_in(tmp_path.parent / "elsewhere")) == []
