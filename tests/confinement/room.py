"""A class in which half of the submissions attack the other half; prints what became of it as JSON.

The argument is how to confine. This is a process of its own, because it may be run as another user.
With "off" only the attack on files, which touches nothing but this class, and its victim take part.
"""

import hashlib
import json
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import nbformat

from graders.grading import batch, intake, pools
from graders.grading.cache import with_cache
from graders.grading.course import Course
from graders.grading.preprocessors import judge_submission, read_submission, repair_submission
from graders.grading.stubs import released
from graders.kernels.launcher import stop_warm_parents
from tests.situations import toy

CONFIG = """
from graders.grading.config import configure
c = get_config()
c.CourseDirectory.course_id = "room"
configure(c)
c.JudgeAnswers.memory_limit = 512
"""

FILES = """
import pathlib
for path in sorted(pathlib.Path({course!r}).rglob("*")) + [pathlib.Path({home!r}, "letter")]:
    try:
        if path.suffix == ".ipynb" and "submitted" in path.parts:
            path.write_text(path.read_text().replace("2 * x", "3 * x"))
        elif path.suffix == ".ipynb":
            path.write_text(path.read_text().replace("assert ", "assert True or "))
        elif path.is_file() and path.suffix != ".db":
            path.write_bytes(b"spoilt")
    except OSError:
        pass
"""

NEIGHBOURS = """
import glob, os, time
from jupyter_client import BlockingKernelClient
for path in glob.glob({scratch!r} + "/gk-*/connection.json"):
    try:
        client = BlockingKernelClient()
        client.load_connection_file(path)
        if client.ip != get_ipython().kernel.parent.ip:
            client.start_channels()
            client.execute("import os; os._exit(0)")
    except Exception:
        pass
for pid in ({driver}, os.getppid()):
    try:
        os.kill(pid, 0) if pid == 1 else os.kill(pid, 9)
    except OSError:
        pass
"""

GREED = """
import os, time
for _ in range(400):
    try:
        if os.fork() == 0:
            try:
                kept = b"x" * (40 << 20)
                time.sleep(600)
            finally:
                os._exit(0)
    except OSError:
        break
"""

LEFTOVERS = """
import os, pathlib, time
yes = "import numpy\\nnumpy.allclose = numpy.isclose = lambda *a, **k: numpy.True_\\n"
home = pathlib.Path.home()
for folder in (home / ".ipython/profile_default/startup", home / ".local/lib", pathlib.Path("."),
               pathlib.Path("/tmp"), pathlib.Path("/dev/shm"), pathlib.Path("/var/tmp")):
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("00-first.py", "usercustomize.py", "numpy.py", "graders.py"):
            (folder / name).write_text(yes)
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
"""

ANSWERS = {
    "s2-right": {},
    "s4-double-is-wrong": {"double": "def double(x):\n    return x"},
    "s6-half-of-shift": {"shift": "def shift(x):\n    return np.array([2.0, 9.0]) + 0 * x"},
    "s8-wrong-choice": {"q1": "q1 = 'a'"},
}
ATTACKS = {
    "s1-files": FILES,
    "s3-neighbours": NEIGHBOURS,
    "s5-greed": GREED,
    "s7-leftovers": LEFTOVERS,
}
"""Names take turns, so that attackers and others are graded at the same time."""


def hand_in(course, student, answers=(), attack=""):
    folder = course.folder("submitted", student, "toy")
    folder.mkdir(parents=True)
    submission = toy.Submission(released(toy.source()), folder)
    for name, text in dict(answers).items():
        submission[name] = text
    if attack:
        submission["double"] = "def double(x):\n    return x"
        submission.insert("double", attack)
    submission.write()


def checksums(*folders):
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def alone(course, student, settings):
    """The marks of a submission that is graded by itself."""
    source = course.sources("toy")["toy"]
    folder = course.folder("submitted", student, "toy")
    notebook = repair_submission(read_submission(folder / "toy.ipynb"), source)
    files = intake.read_files(folder)
    _, rows = judge_submission(notebook, source, settings, files)
    return {row.cell: row.score for row in rows}


def main(mode, scratch):
    os.environ["TMPDIR"] = str(scratch / "t")  # of the workers
    tempfile.tempdir = "/tmp"
    os.environ["HOME"] = str(scratch / "home")
    root = scratch / "course"
    for folder in (scratch / "t", scratch / "home", root / "source" / "toy"):
        folder.mkdir(parents=True)
    (scratch / "home" / "letter").write_text("private")
    nbformat.write(toy.source(), root / "source" / "toy" / "toy.ipynb")
    (root / "nbgrader_config.py").write_text(CONFIG)
    course = Course(root)
    course.config.JudgeAnswers.confine = mode
    for student, answers in ANSWERS.items():
        if mode != "off" or not answers:
            hand_in(course, student, answers)
    at = {"course": str(root), "home": os.environ["HOME"], "scratch": str(scratch / "t"),
          "driver": os.getpid()}  # fmt: skip
    for student, attack in ATTACKS.items():
        if mode != "off" or attack is FILES:
            filled = attack.format(**at) if attack in (FILES, NEIGHBOURS) else attack
            hand_in(course, student, attack=filled)
    settings = with_cache(course, "toy", course.settings())
    given = [root / name for name in ("source", "submitted", ".graders-cache")]
    before = checksums(*given, scratch / "home") | checksums(root / "nbgrader_config.py")
    students = course.students("toy")
    by_itself = {}
    if mode != "off":
        by_itself = {student: alone(course, student, settings) for student in students}
    report = batch.autograde(course, "toy", pool=partial(pools.local, 4))
    stop_warm_parents()
    together = {student: {} for student in students}
    for row in report.rows:
        together[row.student][row.cell] = row.score
    after = checksums(*given, scratch / "home") | checksums(root / "nbgrader_config.py")
    return {
        "alone": by_itself,
        "together": together,
        "booked": {student: toy.booked(course, student) for student in students},
        "failures": report.failures,
        "changed": sorted(
            str(Path(name).relative_to(scratch))
            for name in before.keys() | after.keys()
            if before.get(name) != after.get(name)
        ),
        "left": sorted(path.name for path in (scratch / "t").iterdir()),
        "user": os.getuid(),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as name:
        Path(name).chmod(0o755)
        print(json.dumps(main(sys.argv[1], Path(name).resolve())))
