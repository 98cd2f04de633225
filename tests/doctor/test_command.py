"""The whole command: its layout, its exit status, and what becomes of checks that break."""

import argparse
import dataclasses
import importlib.metadata
import json
import subprocess
import sys

import pytest

from graders.doctor import commands, confinement, jupyter, software, trial
from graders.doctor.checkup import Level, ok, problem, run, warning
from graders.grading import cli
from graders.kernels import confine
from tests.doctor.conftest import configured

FULL = confine.Report(landlock=7, namespaces=True, seccomp=True)
WELL = trial.Outcome({"TCP": "PermissionError"}, [], "warm", 0, "ipc")


@pytest.fixture
def quick(monkeypatch):
    """Leaves out what takes seconds and is tested elsewhere; returns what can be spoilt."""
    offers = argparse.Namespace(report=FULL, outcome=WELL, real=None)

    async def attack(make, real):
        offers.real = real
        return offers.outcome

    monkeypatch.setattr(trial, "attack", attack)
    monkeypatch.setattr(confine, "available", lambda: offers.report)
    for module, name in (
        (software, "closures"), (jupyter, "lab_extension"), (jupyter, "server_extensions"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, lambda: iter(()))
    return offers


def test_for_real(course, capsys):
    """A confined kernel attacks this course's own gradebook, source and home folder."""
    assert cli.main(["doctor", "--course", str(course.root), "--json"]) == 0
    found = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert set(found) == {
        "Python", "packages", "JAX", "JAX computes", "nbgrader", "JupyterLab extension",
        "server extensions", "course id", "source", "database", "exchange", "kernel python3",
        "confinement", "attacks",
    }  # fmt: skip
    assert {entry["level"] for entry in found.values()} == {"ok"}
    assert "tried 40 forbidden things; none went" in found["attacks"]["words"]


def test_unconfined_kernel_is_caught(course, monkeypatch, capsys):
    """The same attacks by a kernel without confinement go through, on the course's own files."""
    real = confinement.kernel_manager
    monkeypatch.setattr(
        confinement, "kernel_manager", lambda *args, **kw: real(*args, **kw, confine="off")
    )
    findings = list(confinement._tried(True, confinement._targets(course)))
    (told,) = [finding for finding in findings if finding.name == "attacks"]
    assert told.level is Level.PROBLEM
    for attack in ("read the gradebook", "list the course", "list the home folder", "TCP",
                   "signal a process", "write a file outside", "find a process"):  # fmt: skip
        assert attack in told.words
    assert "memory without end" not in told.words  # the caps are in force without it


def test_targets_are_the_courses_own(course, quick):
    assert [finding.level for finding in confinement.confinement(course)] == [Level.OK] * 2
    assert quick.real["gradebook"] == str(course.root / "gradebook.db")
    assert quick.real["source"] == str(course.root / "source" / "toy" / "toy.ipynb")
    assert quick.real["course"] == str(course.root)
    assert "submission" not in quick.real  # nothing was handed in


def test_text_and_status(course, quick, capsys):
    assert cli.main(["doctor", "--course", str(course.root)]) == 0
    out = capsys.readouterr().out
    assert "\nok       course id: toys.\n" in out
    assert out.endswith("\n\n11 ok. Nothing needs doing.\n")
    configured(course, "c.CourseDirectory.course_id = ''")
    assert cli.main(["doctor", "--course", str(course.root)]) == 1
    out = capsys.readouterr().out
    assert "\nproblem  course id: there is no course id; nbgrader can neither" in out
    assert '\n         → Write c.CourseDirectory.course_id = "a-short-name"' in out
    assert out.endswith("\n\n10 ok, 1 problem. Do what the arrows say.\n")
    assert max(map(len, out.splitlines())) <= 100 + len(str(course.root))


def test_unsupported_jax_does_not_stop_it(course, quick, monkeypatch, capsys):
    real = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: "0.13.1" if name == "jax" else real(name)
    )
    assert cli.main(["doctor", "--course", str(course.root)]) == 1
    out = capsys.readouterr().out
    assert "problem  JAX: JAX 0.13.1 is installed, but" in out
    assert "ok       database" in out


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda root: (root / "nbgrader_config.py").write_text("1 / 0"), "division by zero"),
        (lambda root: (root / "source").rename(root / "sources"), "has no folder source"),
    ],
)
def test_no_course_to_speak_of(course, quick, capsys, spoil, words):
    spoil(course.root)
    assert cli.main(["doctor", "--course", str(course.root)]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert " problem course: " in out and words in out
    assert "ok kernel python3" in out and "ok attacks" in out
    assert quick.real == {}


@pytest.mark.parametrize(
    ("mode", "report", "level", "words", "advice"),
    [
        ("off", FULL, "warning", "switches it off", 'confine = "auto"'),
        ("auto", confine.Report(0, False, False, "macOS has none"), "problem", "(macOS has none)",
         "Linux container"),
        ("required", dataclasses.replace(FULL, namespaces=False, landlock=3, reason="refused"),
         "problem", "but not its processes (refused)", "nothing is graded here"),
        ("auto", dataclasses.replace(FULL, namespaces=False, reason="refused"), "warning",
         "not by namespaces (refused)", "All is covered"),
    ],
)  # fmt: skip
def test_what_the_machine_offers(course, quick, mode, report, level, words, advice):
    quick.report = report
    spoilt = configured(course, f"c.JudgeAnswers.confine = {mode!r}")
    first = next(confinement.confinement(spoilt))
    assert first.level == level
    assert words in first.words
    assert advice in first.advice


@pytest.mark.parametrize(
    ("change", "level", "words"),
    [
        ({"refused": {"TCP": None, "UDP": "x"}}, "problem", "of 2 forbidden things"),
        ({"refused": {"find the gradebook": None}}, "problem", "find the gradebook"),
        ({"wrong": ["NumPy: gone"]}, "problem", "cannot do what it has to: NumPy: gone"),
        ({"started": "cold"}, "warning", "kernels start cold"),
    ],
)
def test_what_became_of_the_attacks(quick, change, level, words):
    quick.outcome = dataclasses.replace(WELL, **change)
    told = [f for f in confinement.confinement(None) if f.level is not Level.OK]
    assert [finding.level for finding in told] == [level]
    assert words in told[0].words


def test_names_may_be_seen_without_namespaces(quick):
    quick.report = dataclasses.replace(FULL, namespaces=False, reason="refused")
    quick.outcome = dataclasses.replace(WELL, refused={"find the gradebook": None})
    assert not [f for f in confinement.confinement(None) if f.level is Level.PROBLEM]


def test_check_that_breaks_stops_no_other():
    def broken():
        yield ok("first", "done")
        raise OSError("disk on fire")

    found = list(run([("broken", broken), ("next", lambda: [warning("next", "w", "a")])]))
    assert [finding.name for finding in found] == ["first", "broken", "next"]
    assert found[1].level is Level.PROBLEM
    assert "OSError: disk on fire" in found[1].words


def test_layout():
    long = problem("name", "word " * 40 + "end", "do " * 60 + "it.")
    text = commands.lines(long).splitlines()
    assert text[0].startswith("problem  name: word")
    assert all(line.startswith(" " * 9) and len(line) <= 100 for line in text[1:])
    assert sum("→" in line for line in text) == 1
    assert (
        commands.summary([long, long, ok("a", "b")]) == "1 ok, 2 problems. Do what the arrows say."
    )


def test_without_nbgrader(tmp_path):
    """`python -m graders.doctor` says what is missing where `graders` cannot even start."""
    code = (
        "import runpy, sys; sys.modules['nbgrader'] = None; "
        "sys.argv[1:] = ['--json']; runpy.run_module('graders.doctor', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    levels = {entry["name"]: entry["level"] for entry in json.loads(done.stdout)}
    assert levels["nbgrader"] == "problem"
    assert levels["JAX"] == "ok"
    (course,) = [entry for entry in json.loads(done.stdout) if entry["name"] == "course"]
    assert course["advice"] == "Run python -m pip install 'graders[instructor]'."
