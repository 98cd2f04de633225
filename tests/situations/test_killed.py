"""Whatever is killed while a class is graded, every mark is right in the end."""

import json
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import nbformat
import psutil
import pytest

from graders.grading.course import Course
from tests.situations import toy
from tests.situations.conftest import REPOSITORY, hand_in, make_course

STUDENTS = [f"student-{number:02}" for number in range(30)]
FULL = {cell: float(points) for cell, points in toy.POINTS.items()}
HALF = FULL | dict.fromkeys(toy.DOUBLE, 0.0)
EXPECTED = {student: HALF if student.endswith("3") else FULL for student in STUDENTS}


def spoil(submission):
    submission["double"] = "def double(x):\n    return 3 * x"


@pytest.fixture(scope="module")
def ungraded(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("thirty"))
    for student in STUDENTS:
        hand_in(course, student, *([spoil] if EXPECTED[student] is HALF else []))
    return course


@pytest.fixture
def course(ungraded, tmp_path):
    shutil.copytree(ungraded.root, tmp_path / "course")
    return Course(tmp_path / "course")


def start(course, *options):
    command = [sys.executable, "-m", "graders", "autograde", "toy", "--course",
               str(course.root), *options]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)


def graded(course):
    """The notebooks that are graded so far, each of which has to be whole."""
    found = sorted(course.root.glob("autograded/*/toy/toy.ipynb"))
    return {path.parents[1].name: nbformat.read(path, as_version=4) for path in found}


def marks(course):
    lines = (course.root / "ledger" / "toy.jsonl").read_text(encoding="utf-8").splitlines()
    found = {student: {} for student in STUDENTS}
    for row in map(json.loads, lines):
        found[row["student"]][row["cell"]] = row["score"]
    return found


def in_gradebook(course):
    return {student: toy.booked(course, student) for student in STUDENTS}


def words(process):
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def find(driver, kind):
    """The processes of one kind below the driver."""
    try:
        family = psutil.Process(driver).children(recursive=True)
        parents = {process.pid: process.parent() for process in family}
    except psutil.Error:
        return []
    warm = [process for process in family if "graders.kernels.zygote" in words(process)]
    inside = {process.pid for process in warm}
    if kind == "kernel":  # the last of the line: nobody's parent
        above = {parent.pid for parent in parents.values() if parent}
        return [p for p in warm if parents[p.pid].pid in inside and p.pid not in above]
    if kind == "warm parent":
        return [p for p in warm if parents[p.pid] and parents[p.pid].pid not in inside]
    servers = {process.pid for process in family if "multiprocessing.forkserver" in words(process)}
    return [p for p in family if p.pid in servers and parents[p.pid].pid in servers]


def test_driver_worker_warm_parent_and_kernel(course):
    chance = random.Random(4)
    killed = []
    for kinds in (["kernel", "warm parent", "worker", "kernel"], ["worker", "kernel"], []):
        already = len(graded(course))
        with start(course, "--jobs", "2") as process, ThreadPoolExecutor() as reader:
            told = reader.submit(process.stdout.read)
            for kind in kinds:
                time.sleep(chance.uniform(0.2, 1.0))
                victims = []
                # There is one warm parent for both workers. A keeper that has just left its own
                # parent looks like another for a moment.
                alone = kind == "warm parent"
                while process.poll() is None:
                    victims = find(process.pid, kind)
                    if len(victims) == 1 or (victims and not alone):
                        break
                assert not alone or len(victims) == 1
                if victims:
                    chance.choice(victims).kill()
                    killed.append(kind)
            if kinds:
                while len(graded(course)) == already and process.poll() is None:
                    time.sleep(0.05)
                family = psutil.Process(process.pid).children(recursive=True)
                process.kill()
                killed.append("driver")
                _, alive = psutil.wait_procs(family, timeout=30)
                assert alive == []
            told.result()
    assert process.returncode == 0
    assert killed == ["kernel", "warm parent", "worker", "kernel", "driver", "worker", "kernel",
                      "driver"]  # fmt: skip
    assert graded(course).keys() == set(STUDENTS)
    assert marks(course) == in_gradebook(course) == EXPECTED


def dask(*command):
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + command[0], *command[1:]],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=REPOSITORY,
    )  # fmt: skip


def test_a_cluster_that_loses_a_worker(course, tmp_path):
    address_file = tmp_path / "scheduler.json"
    started = [dask("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                    "--scheduler-file", str(address_file))]  # fmt: skip
    try:
        while not address_file.exists():
            assert started[0].poll() is None
            time.sleep(0.05)
        address = json.loads(address_file.read_text())["address"]
        for number in range(2):
            started.append(dask("dask_worker", address, "--nthreads", "1", "--no-nanny",
                                "--no-dashboard", "--local-directory",
                                str(tmp_path / f"worker-{number}")))  # fmt: skip
        wait_for_workers(address, 2)
        with start(course, "--cluster", address) as process, ThreadPoolExecutor() as reader:
            told = reader.submit(process.stdout.read)
            while len(graded(course)) < 5:
                assert process.poll() is None
                time.sleep(0.05)
            started[1].kill()
            told.result()
        assert process.returncode == 0
    finally:
        for each in reversed(started):
            each.kill()
            each.wait()
    assert marks(course) == in_gradebook(course) == EXPECTED


def wait_for_workers(address, count):
    from distributed import Client

    with Client(address) as client:
        client.wait_for_workers(count, timeout=60)
