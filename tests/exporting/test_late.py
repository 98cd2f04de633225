from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from traitlets.config import Config

from graders.exporting import LatePenalty, MoodleExport, late
from tests.exporting.conftest import DUE

HOUR = 3600.0


@pytest.mark.parametrize(
    ("hours", "taken"),
    [(-5, 0.0), (0, 0.0), (0.25, 0.0), (0.26, 0.1), (24, 0.1), (24.1, 0.2), (72, 0.3), (400, 0.6)],
)
def test_grace_days_and_floor(hours: float, taken: float) -> None:
    rules = LatePenalty(grace_minutes=15, percent_per_day=10, floor_percent=40)
    assert rules.taken(hours * HOUR) == pytest.approx(taken)


def rules(**settings: object) -> Config:
    config = Config()
    config.AssignLatePenalties.plugin_class = "graders.exporting.LatePenalty"
    config.LatePenalty.update(settings)
    return config


def penalties(gradebook: Gradebook, student: str) -> list[float | None]:
    submission = gradebook.find_submission("loops", student)
    return [notebook.late_submission_penalty for notebook in submission.notebooks]


def hand_in(gradebook: Gradebook, student: str, hours: float) -> None:
    submission = gradebook.find_submission("loops", student)
    submission.timestamp = DUE + timedelta(hours=hours)
    gradebook.db.commit()


def test_the_penalty_follows_the_final_score(gradebook: Gradebook) -> None:
    hand_in(gradebook, "ada", 30)
    late.refresh(gradebook, "loops", rules(percent_per_day=10))
    assert sum(filter(None, penalties(gradebook, "ada"))) == pytest.approx(2.0)
    gradebook.find_grade("check-b", "two", "loops", "ada").manual_score = 3.0
    gradebook.db.commit()
    late.refresh(gradebook, "loops", rules(percent_per_day=10))
    assert sum(filter(None, penalties(gradebook, "ada"))) == pytest.approx(1.0)
    hand_in(gradebook, "ada", -1)
    late.refresh(gradebook, "loops", rules(percent_per_day=10))
    assert penalties(gradebook, "ada") == [None, None]


def test_extensions(gradebook: Gradebook, tmp_path: Path) -> None:
    file = tmp_path / "extensions.csv"
    file.write_text(
        "student,assignment,hours,until\n"
        "ada,,48,\n"
        "björn,loops,,2026-03-12 13:00 UTC\n"
        "+cara,other,48,\n"
    )
    config = rules(extensions=str(file), percent_per_day=50)
    for student in ("ada", "björn", "+cara"):
        for grade in gradebook.find_submission("loops", student).notebooks[0].grades:
            grade.auto_score = 2.0
        hand_in(gradebook, student, 47)
    late.refresh(gradebook, "loops", config)
    assert not any(penalties(gradebook, "ada"))
    assert not any(penalties(gradebook, "björn"))
    assert sum(filter(None, penalties(gradebook, "+cara"))) > 0
    hand_in(gradebook, "ada", 48 + 30)
    late.refresh(gradebook, "loops", config)
    # Two days begun after the extension's end take all of it.
    assert gradebook.find_submission("loops", "ada").late_submission_penalty == pytest.approx(
        gradebook.find_submission("loops", "ada").score
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name,hours\nada,1\n", "no column student"),
        ("student,hours,until\nada,,\n", "line 2: give a student, and either hours or until"),
        ("hours,student\n5\n", "line 2: give a student, and either hours or until"),
        ("student,hours\nada,many\n", "line 2: hours is 'many'; give a number of hours"),
        ("student,hours\nada,nan\n", "line 2: hours is 'nan'"),
        ("student,hours\nada,-5\n", "line 2: hours is '-5'"),
        ("student,until\nada,soon\n", "line 2: until is 'soon'; give a time"),
        (None, "cannot be read"),
    ],
)
def test_extensions_that_cannot_be_used(tmp_path: Path, text: str | None, reason: str) -> None:
    file = tmp_path / "extensions.csv"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ValueError, match=reason):
        late.read_extensions(str(file), "loops")


def test_an_extension_for_nobody_is_said(
    gradebook: Gradebook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelt name would cost the student the extension in silence."""
    file = tmp_path / "extensions.csv"
    file.write_text("student,hours\nada,48\nbjorn,48\n", encoding="utf-8")
    late.refresh(gradebook, "loops", rules(extensions=str(file)))
    told = capsys.readouterr().err
    assert "no student 'bjorn'" in told and "ada" not in told


def test_an_export_has_the_penalty_of_the_final_score(gradebook: Gradebook, tmp_path: Path) -> None:
    hand_in(gradebook, "ada", 30)
    config = rules(percent_per_day=10)
    config.ExportPlugin.to = str(tmp_path / "x.csv")
    MoodleExport(config=config, student=["ada"]).export(gradebook)
    assert (tmp_path / "x.csv").read_text().splitlines()[-1].endswith(",8")


def test_other_rules_are_left_alone(gradebook: Gradebook) -> None:
    hand_in(gradebook, "ada", 30)
    gradebook.find_submission("loops", "ada").notebooks[0].late_submission_penalty = 0.5
    gradebook.db.commit()
    late.refresh(gradebook, "loops", Config())
    assert 0.5 in penalties(gradebook, "ada")
