"""Saying how student code is confined: `--confine`, the configuration, and the summary."""

import subprocess
import sys

import pytest

from graders.grading import cli, pools
from graders.kernels import confine
from tests.grading.conftest import LocalPool
from tests.grading.test_cli import tree

FULL = confine.Report(landlock=7, namespaces=True, seccomp=True)
ELSEWHERE = confine.Report(0, False, False, "macOS has no Landlock and no namespaces")


@pytest.fixture
def autograde(course, monkeypatch, capsys):
    """Runs the command on a machine that offers this; gives its status, output and errors."""
    monkeypatch.setattr(pools, "local", lambda jobs: LocalPool())

    def run(offered, *options):
        monkeypatch.setattr(confine, "available", lambda: offered)
        status = cli.main(["autograde", "toy", "--course", str(course.root), *options])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def configured(course, value):
    path = course.root / "nbgrader_config.py"
    path.write_text(f"{path.read_text()}\nc.JudgeAnswers.confine = {value!r}\n")


@pytest.mark.parametrize("by", ["option", "configuration"])
def test_required_refuses_and_changes_nothing(course, autograde, by):
    options = ["--confine", "required"] if by == "option" else []
    if by == "configuration":
        configured(course, "required")
    before = tree(course.root)
    status, out, err = autograde(ELSEWHERE, *options)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "cannot be confined here (files, network, processes, privileges: macOS has no" in err
    assert "in a container" in err
    assert tree(course.root) == before


def test_required_grades_where_everything_is_covered(autograde):
    status, out, err = autograde(FULL, "--confine", "required")
    assert (status, err) == (0, "")
    assert out.endswith("confined by namespaces, Landlock (ABI 7) and a system call filter.\n")


def test_auto_warns_once_where_there_is_nothing(autograde):
    status, out, err = autograde(ELSEWHERE)
    assert status == 0
    words = "Student code runs unconfined (macOS has no Landlock and no namespaces); grade in a"
    assert err == f"graders: warning: {words} Linux container.\n"
    assert words in out


def test_auto_names_the_gap(autograde):
    report = confine.Report(landlock=3, namespaces=False, seccomp=True, reason="unshare: refused")
    status, out, err = autograde(report, "--confine", "auto")
    assert status == 0
    assert "a system call filter, but not its processes (unshare: refused)" in err
    assert "not its processes" in out


def test_option_goes_before_configuration(course, autograde):
    configured(course, "required")
    status, out, err = autograde(ELSEWHERE, "--confine", "off")
    assert (status, err) == (0, "")
    assert "unconfined, as you asked" in out


def test_configuration_that_cannot_be(course, autograde):
    configured(course, "maybe")
    status, _, err = autograde(FULL)
    assert status == 2
    assert "nbgrader_config.py" in err and "'maybe'" in err


def test_everything_can_be_imported_where_there_is_no_unix():
    """A stand-in for Windows: the modules and functions that only UNIX has are taken away."""
    code = """
import os, signal, sys
import nbclient, nbgrader, psutil  # these know about Windows themselves
for name in ("resource", "fcntl", "termios"):
    sys.modules[name] = None
for module, names in ((os, "getuid fork register_at_fork pidfd_open sched_getaffinity"),
                      (signal, "SIGKILL SIGXCPU")):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
import graders.grading.cli
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
