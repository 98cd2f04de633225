"""nbgrader's exchange between an instructor and two students who are users of one machine."""

import json
from datetime import UTC, datetime

from nbgrader.utils import parse_utc

from tests.exchange.conftest import TOWN
from tests.situations import toy

EXCHANGE = f"{TOWN}/exchange/toys"
INBOUND = f"{EXCHANGE}/inbound"
COURSE = f"{TOWN}/teacher/course"


def ok(done):
    assert done.status == 0, done.printed
    return done.printed


def refused(done):
    assert done.status != 0 and "Permission denied" in done.printed, done.printed


def nbgrader(town, user, *command):
    folder = COURSE if user == "teacher" else f"{TOWN}/{user}"
    return town.run(user, nbgrader=[*command], folder=folder)


def answer(town, user, **cells):
    """Writes a student's answers into the notebook on the student's desk."""
    cells = {**toy.ANSWERS, **cells}
    code = f"""
import nbformat
path = "{TOWN}/{user}/toy/toy.ipynb"
notebook = nbformat.read(path, as_version=4)
for cell in notebook.cells:
    cell.source = {cells!r}.get(cell.metadata.get("nbgrader", {{}}).get("grade_id"), cell.source)
nbformat.write(notebook, path)
"""
    ok(town.run(user, python=code))


def collected(town, user):
    """When what the instructor has of a student was submitted, and its answer to `double`."""
    folder = f"{COURSE}/submitted/{user}/toy"
    when = ok(town.run("teacher", program=["cat", f"{folder}/timestamp.txt"]))
    notebook = json.loads(ok(town.run("teacher", program=["cat", f"{folder}/toy.ipynb"])))
    (source,) = [
        "".join(cell["source"]) for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "double"
    ]  # fmt: skip
    return parse_utc(when), source


def results(town):
    """For each student the score and the seconds of being late, from the gradebook."""
    code = f"""
import json
from pathlib import Path
from graders.grading.course import Course
with Course(Path("{COURSE}")).gradebook() as gradebook:
    print(json.dumps({{one.student.id: (one.score, one.total_seconds_late)
                      for one in gradebook.assignment_submissions("toy")}}))
"""
    return json.loads(ok(town.run("teacher", python=code)).splitlines()[-1])


def doctor(town):
    """What `graders doctor` has to say of the exchange."""
    code = f"""
from pathlib import Path
from graders.doctor import commands
from graders.grading.course import Course
for finding in commands.exchange(Course(Path("{COURSE}"))):
    print(finding.level, finding.words, finding.advice)
"""
    return ok(town.run("teacher", python=code))


def test_round_of_three_users(town):
    ok(nbgrader(town, "teacher", "generate_assignment", "toy"))
    ok(nbgrader(town, "teacher", "release_assignment", "toy"))
    modes = ok(town.run("ada", program=["stat", "-c", "%a %U", EXCHANGE, f"{EXCHANGE}/outbound",
                                        INBOUND]))  # fmt: skip
    assert modes.split() == ["755", "teacher", "755", "teacher", "2733", "teacher"]
    assert doctor(town).startswith("ok ")

    for student in ("ada", "ben"):
        ok(nbgrader(town, student, "fetch_assignment", "toy"))

    # A wrong permission stops a student, and the doctor finds and mends it.
    ok(town.run("teacher", program=["chmod", "700", INBOUND]))
    assert nbgrader(town, "ben", "submit", "toy").status != 0
    told = doctor(town)
    assert f"problem {INBOUND} has the permissions 2700 and should have 2733" in told
    ok(town.run("teacher", program=told.rpartition("Run ")[2].rstrip(".\n").split()))
    assert doctor(town).startswith("ok ")

    # Both in time, ada with a wrong answer.
    for student, cells in (("ada", {"double": "def double(x):\n    return 3 * x"}), ("ben", {})):
        answer(town, student, **cells)
        ok(nbgrader(town, student, "submit", "toy"))
    due = datetime.now(UTC)
    ok(nbgrader(town, "teacher", "db", "assignment", "add", "toy", f"--duedate={due}"))
    ok(nbgrader(town, "teacher", "collect", "toy"))
    first, source = collected(town, "ada")
    assert "3 * x" in source and first < due.replace(tzinfo=None)

    # A student sees nobody else's work, nor whose there is, and spoils nothing.
    for program in (
        ["ls", INBOUND],
        ["ls", f"{TOWN}/ben"],
        ["cat", f"{TOWN}/ben/toy/toy.ipynb"],
        ["cat", f"{COURSE}/gradebook.db"],
        ["touch", f"{EXCHANGE}/outbound/toy/toy.ipynb"],
        ["rm", "-rf", f"{EXCHANGE}/outbound/toy"],
    ):
        refused(town.run("ada", program=program))
    listed = ok(nbgrader(town, "ada", "list", "--inbound"))
    assert "ben" not in listed

    # After the due date ada hands in once more.
    answer(town, "ada")
    ok(nbgrader(town, "ada", "submit", "toy"))
    ok(nbgrader(town, "teacher", "collect", "toy"))
    assert collected(town, "ada") == (first, source)
    ok(nbgrader(town, "teacher", "collect", "--update", "toy"))
    second, source = collected(town, "ada")
    assert "2 * x" in source and second > due.replace(tzinfo=None)

    ok(town.run("teacher", graders=["autograde", "toy", "--jobs", "1"], folder=COURSE))
    marks = results(town)
    assert (marks["ada"][0], marks["ben"]) == (sum(toy.POINTS.values()), [10, 0])
    assert 0 < marks["ada"][1] == (second - due.replace(tzinfo=None)).total_seconds()

    # Everybody's feedback comes to themselves.
    ok(town.run("teacher", graders=["feedback", "toy", "--jobs", "1"], folder=COURSE))
    ok(nbgrader(town, "teacher", "release_feedback", "toy"))
    ok(nbgrader(town, "ada", "fetch_feedback", "toy"))
    pages = ok(town.run("ada", program=["find", f"{TOWN}/ada/toy/feedback", "-name", "*.html"]))
    assert pages.count("toy.html") == 1
    refused(town.run("ben", program=["ls", f"{EXCHANGE}/feedback"]))
