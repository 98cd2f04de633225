"""A course's configuration, database and exchange: each is spoilt once and has to be found."""

import os
import sqlite3
from pathlib import Path

import pytest

from graders.doctor import commands, exchange
from graders.doctor import course as checks
from graders.doctor.checkup import Level
from graders.grading.course import Course, CourseError
from tests.doctor.conftest import configured


def one(findings):
    (finding,) = findings
    return finding


def test_all_is_well(course):
    for check in (checks.configuration, checks.assignments, checks.database, commands.exchange):
        assert one(check(course)).level is Level.OK


@pytest.mark.parametrize("identity", ["", "../toys", "two words"])
def test_course_id(course, identity):
    spoilt = configured(course, f"c.CourseDirectory.course_id = {identity!r}")
    finding = one(checks.configuration(spoilt))
    assert finding.level is Level.PROBLEM
    assert "nbgrader can neither release nor collect" in finding.words
    assert "c.CourseDirectory.course_id = " in finding.advice
    assert str(course.root / "nbgrader_config.py") in finding.advice


def test_no_configuration(course):
    (course.root / "nbgrader_config.py").unlink()
    first, second = checks.configuration(Course(course.root))
    assert (first.level, second.level) == (Level.WARNING, Level.PROBLEM)
    assert second.words.startswith("there is no course id")


def test_what_user_and_machine_configure_counts(course, monkeypatch, tmp_path):
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'of-the-user'\nc.Exchange.root = '/x'\n"
    )
    monkeypatch.setattr(checks, "jupyter_config_path", lambda: [str(folder)])
    config = checks.nbgrader_config(course)
    assert config.CourseDirectory.course_id == "toys"
    (course.root / "nbgrader_config.py").unlink()
    config = checks.nbgrader_config(Course(course.root))
    assert (config.CourseDirectory.course_id, config.Exchange.root) == ("of-the-user", "/x")


def test_value_that_cannot_be(course):
    with pytest.raises(CourseError, match="maybe"):
        list(checks.configuration(configured(course, "c.JudgeAnswers.confine = 'maybe'")))


def test_source(course):
    notebook = course.root / "source" / "toy" / "toy.ipynb"
    notebook.write_text("{")
    assert "toy.ipynb cannot be read" in one(checks.assignments(course)).words
    assert checks.kernel_names(course) == {"python3"}
    notebook.unlink()
    assert "has no notebooks" in one(checks.assignments(course)).words


# --- the database -------------------------------------------------------------------------


def nothing(path):
    path.write_bytes(b"")


def text(path):
    path.write_text("not a database at all, whatever its name is" * 50)


def a_folder(path):
    path.unlink()
    path.mkdir()


def statement(sql):
    def spoil(path):
        with sqlite3.connect(path) as connection:
            connection.execute(sql)
        connection.close()

    return spoil


@pytest.mark.parametrize(
    ("spoil", "words", "advice"),
    [
        (text, "cannot be opened (file is not a database)", "from a backup"),
        (a_folder, "cannot be opened (unable to open database file)", "from a backup"),
        (nothing, "has no tables", "nbgrader db upgrade"),
        (
            statement("UPDATE alembic_version SET version_num = '167914646830'"),
            "has older tables",
            "nbgrader db upgrade",
        ),
        (
            statement("UPDATE alembic_version SET version_num = 'fedcba987654'"),
            "tables of a newer nbgrader (fedcba987654",
            "--upgrade nbgrader",
        ),
    ],
    ids=["text", "folder", "empty", "older", "newer"],
)
def test_database(course, spoil, words, advice):
    spoil(course.root / "gradebook.db")
    finding = one(checks.database(course))
    assert finding.level is Level.PROBLEM
    assert words in finding.words
    assert advice in finding.advice


def test_database_of_somebody_else(course, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may everything
    path = course.root / "gradebook.db"
    assert f"{path} cannot be read and written by you" in one(checks.database(course)).words
    path.unlink()
    assert f"{course.root} cannot be written" in one(checks.database(course)).words


def test_database_is_not_made_by_looking(course):
    path = course.root / "gradebook.db"
    path.unlink()
    assert one(checks.database(course)).level is Level.OK
    assert not path.exists()


def test_password_is_not_told(course):
    url = "postgresql+nothing://me:hush@localhost/grades"
    finding = one(checks.database(configured(course, f"c.CourseDirectory.db_url = {url!r}")))
    assert finding.level is Level.PROBLEM
    assert "hush" not in f"{finding}"


# --- the exchange -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "mode", "wanted"),
    [
        ("", 0o755, "777"),
        ("", 0o776, "777"),
        ("toys", 0o777, "755"),
        ("toys", 0o700, "755"),
        ("toys/outbound", 0o700, "755"),
        ("toys/outbound", 0o757, "755"),
        ("toys/inbound", 0o755, "2733"),
        ("toys/inbound", 0o777, "2733"),
    ],
)
def test_permissions_of_the_exchange(course, folder, mode, wanted):
    path = Path(course.config.Exchange.root, folder)
    path.chmod(mode)
    finding = one(commands.exchange(course))
    assert finding.level is Level.PROBLEM
    assert f"{path} has the permissions {mode:o} and should have {wanted}" in finding.words
    assert finding.advice == f"Run chmod {wanted} {path}."


def test_sticky_exchange_is_fine(course):
    Path(course.config.Exchange.root).chmod(0o1777)
    assert one(commands.exchange(course)).level is Level.OK


def test_missing_exchange(course):
    spoilt = configured(course, "c.Exchange.root = '/nowhere/exchange'")
    finding = one(commands.exchange(spoilt))
    assert finding.level is Level.WARNING
    assert "/nowhere/exchange is not there" in finding.words
    assert "chmod 777 /nowhere/exchange" in finding.advice


def test_exchange_below_a_closed_folder(course):
    root = Path(course.config.Exchange.root)
    root.parent.chmod(0o700)
    finding = one(commands.exchange(course))
    assert finding.level is Level.PROBLEM
    assert finding.advice.startswith(f"Run chmod o+x {root.parent},")


def test_exchange_of_somebody_else(course, monkeypatch):
    monkeypatch.setattr(exchange, "self_owned", lambda path: False)
    findings = list(commands.exchange(course))
    assert len(findings) == 3
    assert all("you cannot release or collect" in finding.words for finding in findings)


def test_another_exchange_is_left_alone(course):
    other = configured(course, "c.ExchangeFactory.exchange = 'ngshare_exchange.Exchange'")
    assert "another than nbgrader's own" in one(commands.exchange(other)).words
