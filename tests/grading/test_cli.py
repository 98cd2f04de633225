"""The command: bad input gets a sentence and exit status 2, and changes nothing."""

import hashlib
import importlib.metadata
import json

import nbformat
import pytest

from graders.grading import cli
from graders.grading.stubs import released
from tests.situations import toy


def tree(folder):
    """Everything in a folder, by content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("release tox --course {course}", "There is no assignment 'tox'"),
        ("autograde tox --course {course}", "There is no assignment 'tox'"),
        ("autograde ../toy --course {course}", "There is no assignment"),
        ("autograde toy --course {course} --student zoe", "no submission of 'zoe'"),
        ("autograde toy --course {course} --student ../ada", "no submission of '../ada'"),
        ("autograde toy --course {course} --student a*;[x]", "no submission of 'a*;[x]'"),
        ("autograde toy --course {course}/nowhere", "There is no folder"),
        ("autograde toy --course {course}/release", "has no folder source"),
        ("feedback toy --course {course} --student ada", "Nothing of 'ada' is graded yet"),
        ("feedback tox --course {course}", "There is no assignment 'tox'"),
        ("check {course}/nowhere.ipynb", "There is no notebook"),
        ("check {course}/release", "There is no notebook"),
        ("check {course}/nbgrader_config.py", "not complete JSON"),
        ("check {course}/empty.ipynb", "has no test cells"),
    ],
)
def test_bad_input(course, capsys, arguments, told):
    nbformat.write(nbformat.v4.new_notebook(), course.root / "empty.ipynb")
    before = tree(course.root)
    assert cli.main(arguments.format(course=course.root).split()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("graders: ")
    assert told in captured.err
    assert captured.err.count("\n") == 1
    assert tree(course.root) == before


@pytest.mark.parametrize("arguments", ["", "autograde", "autograde toy --jobs 0", "dance"])
def test_usage(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments.split())
    assert caught.value.code == 2
    assert "usage: graders" in capsys.readouterr().err


@pytest.mark.parametrize("version", ["0.10.1", "0.13.0", "1.0"])
def test_unsupported_jax(course, capsys, monkeypatch, version):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    before = tree(course.root)
    assert cli.main(["autograde", "toy", "--course", str(course.root)]) == 2
    assert f"JAX {version} is installed" in capsys.readouterr().err
    assert tree(course.root) == before


@pytest.fixture
def notebook(local, tmp_path):
    """A notebook as a student has it, with these answers."""

    def make(**answers):
        made = toy.Submission(released(toy.source()), tmp_path)
        for name, text in answers.items():
            made[name] = text
        made.write()
        return str(tmp_path / "toy.ipynb")

    return make


def test_check_tells_by_its_exit_status(notebook, capsys):
    assert cli.main(["check", notebook()]) == 0
    assert "== double-plain: passed, 2 of 2 points" in capsys.readouterr().out
    assert cli.main(["check", notebook(q1="q1 = 'z'")]) == 1
    assert "q1 cannot be read as an answer" in capsys.readouterr().out
    assert cli.main(["check", notebook(double="def double(x):\n    return x")]) == 1
    assert "== double-traced: failed, 0 of 1 points" in capsys.readouterr().out


def test_check_prints_json(notebook, capsys):
    assert cli.main(["check", notebook(shift="def shift(x):\n    return 0"), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert {row["cell"]: row["status"] for row in rows}["shift-plain"] == "failed"
    assert [row["cell"] for row in rows] == list(toy.POINTS)
