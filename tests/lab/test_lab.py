"""The demo in JupyterLab: what is made, where, and that it is served."""

import json
import os
import shutil
import sys
import urllib.request

import pytest

from graders.grading import batch, cli, pools
from graders.grading.course import Course
from graders.grading.demo import ASSIGNMENT
from graders.lab import desks
from tests.browser.lab import ROOT, running

CLASS = {"ada": {"quiz": "right"}, "björn": {"quiz": ""}}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    # Of the repository only what belongs to one notebook: the whole takes a minute to grade.
    small = folder / "repository"
    for path in ("source/control-flow/5-quiz.ipynb", "nbgrader_config.py", "tests/answers/quiz"):
        (small / path).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
        copy(ROOT / path, small / path)
    with pytest.MonkeyPatch.context() as patched:
        # A quiz compiles nothing that could be kept.
        patched.setattr(batch, "with_cache", lambda course, assignment, settings: settings)
        return desks.make(small, folder / "demo", lambda text: None, lambda: pools.local(1), CLASS)


def test_class_is_filled(lab):
    with Course(lab.course).gradebook() as gradebook:
        assert gradebook.find_submission(ASSIGNMENT, "ada").score == 16
        assert {student.id for student in gradebook.students} >= set(CLASS)
        assert not gradebook.student_submissions("björn")
    # Without it nbgrader would release nobody's feedback.
    assert (lab.course / "autograded" / "ada" / ASSIGNMENT / "submission_secret.txt").is_file()
    assert (lab.course / "submitted" / "björn" / ASSIGNMENT / "5-quiz.ipynb").is_file()


def test_made_once(lab):
    work = lab.student / "work.txt"
    work.write_text("mine")
    assert desks.make(ROOT, lab.folder, pytest.fail, pytest.fail) == lab
    assert work.read_text() == "mine"
    work.unlink()


def test_nothing_is_replaced(tmp_path, capsys, monkeypatch):
    (tmp_path / "thesis.tex").write_text("x")
    monkeypatch.setattr(os, "environ", dict(os.environ))
    assert cli.main(["lab", "--folder", str(tmp_path)]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_served_on_loopback_with_all_in_one_folder(lab, tmp_path):
    home = tmp_path / "home"
    home.mkdir()

    def command(port):
        return [sys.executable, "-m", "graders", "lab", "--role", "student", "--folder",
                str(lab.folder), "--no-browser", "--port", str(port)]  # fmt: skip

    def get(path):
        address, _, token = served.format(path=path).rpartition("?token=")
        request = urllib.request.Request(address, headers={"Authorization": f"token {token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    environment = {name: value for name, value in os.environ.items() if "JUPYTER" not in name}
    log = tmp_path / "log"
    with running(command, ROOT, {**environment, "HOME": str(home)}, log) as served:
        (offered,) = get("assignments?course_id=jax-control-flow")["value"]
        assert (offered["assignment_id"], offered["status"]) == (ASSIGNMENT, "released")
        (kept,) = (lab.home("student") / "runtime").glob("jpserver-*.json")
        assert json.loads(kept.read_text())["hostname"] == "127.0.0.1"
    said = log.read_text()
    assert f"all in {lab.folder}:" in said and "now as student." in said
    assert list(home.iterdir()) == []
