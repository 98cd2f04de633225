"""Choosing how to confine, and saying what is in force."""

import dataclasses
import os
from pathlib import Path

import pytest

from graders.kernels import confine

NOTHING = confine.Report(landlock=0, namespaces=False, seccomp=False, reason="none here")
FULL = confine.Report(landlock=7, namespaces=True, seccomp=True)


@pytest.fixture
def machine(monkeypatch):
    def offers(report):
        monkeypatch.setattr(confine, "available", lambda: report)

    return offers


@pytest.mark.parametrize(
    ("report", "missing"),
    [
        (FULL, ()),
        (dataclasses.replace(FULL, namespaces=False), ()),
        (dataclasses.replace(FULL, namespaces=False, landlock=3), ("processes",)),
        (dataclasses.replace(FULL, namespaces=False, seccomp=False), ("network",)),
        (NOTHING, ("files", "network", "processes", "privileges")),
    ],
)
def test_required_needs_every_promise(machine, tmp_path, report, missing):
    machine(report)
    assert report.missing == missing
    if missing:
        with pytest.raises(confine.ConfinementError, match=", ".join(missing)):
            confine.plan("required", str(tmp_path), str(tmp_path))
    else:
        assert confine.plan("required", str(tmp_path), str(tmp_path)) is not None


def test_auto_takes_what_there_is(machine, tmp_path):
    machine(dataclasses.replace(FULL, namespaces=False))
    plan = confine.plan("auto", str(tmp_path), str(tmp_path))
    assert (plan.landlock, plan.filtered, plan.namespaces) == (True, True, False)


def test_off_is_off(machine, tmp_path):
    machine(FULL)
    assert confine.plan("off", str(tmp_path), str(tmp_path)) is None
    assert "unconfined" in confine.describe(mode="off")


def test_unknown_mode(tmp_path):
    with pytest.raises(ValueError, match=r"confine is 'maybe'; give one of auto, required, off"):
        confine.plan("maybe", str(tmp_path), str(tmp_path))


def test_description_names_the_layers_and_the_gaps():
    assert "namespaces, Landlock (ABI 7) and a system call filter." in confine.describe(FULL)
    gap = confine.describe(dataclasses.replace(NOTHING, landlock=3))
    assert "Landlock (ABI 3), but not its network and processes (none here)" in gap
    assert "unconfined (none here)" in confine.describe(NOTHING)


def test_folder_that_the_kernels_user_cannot_read(machine, monkeypatch, tmp_path):
    machine(FULL)
    monkeypatch.setattr(os, "getuid", lambda: 0)
    tmp_path.chmod(0o700)
    with pytest.raises(ValueError, match=r"chmod -R a\+rX"):
        confine.plan("auto", "/", "/", readonly=[str(tmp_path)])


def test_course_is_not_among_the_paths_of_python():
    repository = str(Path(confine.__file__).parents[2])
    shown = confine.python_paths()
    assert repository not in shown
    assert all(not repository.startswith(path + os.sep) for path in shown)


def test_this_machine_is_tried_for_real():
    report = confine.available()
    assert report.landlock or report.namespaces, report.reason
