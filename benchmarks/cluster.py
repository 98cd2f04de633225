"""A class on a local Dask cluster of two worker processes, one of which is lost half way.

    python benchmarks/cluster.py [--students N]

Grades the same class with two local jobs first and then on the cluster, and compares the ledgers'
marks. Needs the extra `cluster`. Everything listens on loopback only.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from classes import ASSIGNMENT, build
from distributed import Client

from graders.grading import cache, ledger
from graders.grading.course import Course


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--students", type=int, default=12, help="students in the class")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cluster-") as name, ExitStack() as stack:
        scratch = Path(name)
        scratch.chmod(0o755)
        course = build(scratch / "course", options.students)
        cache.with_cache(course, ASSIGNMENT, course.settings())
        alone = grade(course, "--jobs", "2")
        expected = marks(course)
        for folder in ("autograded", "ledger"):
            shutil.rmtree(course.root / folder)
        (course.root / "gradebook.db").unlink()
        address, workers = cluster(stack, scratch)
        half = len(expected) // 2
        together = grade(
            course, "--cluster", address,
            meanwhile=lambda: when(lambda: graded(course) >= half, workers[0].kill),
        )  # fmt: skip
        found = marks(course)
    same = sum(found.get(key) == mark for key, mark in expected.items())
    count = len(expected)
    print(f"two local jobs: {alone / count:.2f} s a notebook")
    print(
        f"two Dask workers, one killed after {half} notebooks: {together / count:.2f} s a notebook"
    )
    print(f"{same} of {count} notebooks have the same marks, {len(found) - count} too many")


def grade(course: Course, *how: str, meanwhile: Callable[[], None] = lambda: None) -> float:
    """Grades the whole class; returns the seconds."""
    command = [sys.executable, "-m", "graders", "autograde", ASSIGNMENT, "--force",
               "--quiet", *how]  # fmt: skip
    started = time.perf_counter()
    with subprocess.Popen(command, cwd=course.root, stdout=subprocess.DEVNULL) as process:
        meanwhile()
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}.")
    return time.perf_counter() - started


def cluster(stack: ExitStack, scratch: Path) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """A scheduler and two workers with one thread each, ended with the stack."""

    def start(*command: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", *command, "--no-dashboard"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        stack.callback(process.wait)
        stack.callback(process.kill)
        return process

    file = scratch / "scheduler.json"
    start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
          "--scheduler-file", str(file))  # fmt: skip
    when(file.exists)
    address = json.loads(file.read_text())["address"]
    workers = [
        start("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny",
              "--local-directory", str(scratch / f"worker-{number}"))
        for number in range(2)
    ]  # fmt: skip
    with Client(address) as client:
        client.wait_for_workers(2, timeout=60)
    return address, workers


def when(condition: Callable[[], bool], act: Callable[[], Any] = lambda: None) -> None:
    """Acts as soon as the condition holds."""
    while not condition():
        time.sleep(0.05)
    act()


def graded(course: Course) -> int:
    """How many notebooks are graded so far."""
    return len(list(course.root.glob("autograded/*/*/*.ipynb")))


def marks(course: Course) -> dict[tuple[str, str], list[tuple[str, float, str]]]:
    """Cells, marks and statuses by student and notebook, from the ledger."""
    found: dict[tuple[str, str], list[tuple[str, float, str]]] = {}
    for row in ledger.read(course.root / "ledger" / f"{ASSIGNMENT}.jsonl"):
        cell = (row.cell, row.score, row.status)
        found.setdefault((row.student, row.notebook), []).append(cell)
    return found


if __name__ == "__main__":
    main()
