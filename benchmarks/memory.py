"""How much memory grading takes, and whether it stays the same over hundreds of notebooks.

    python benchmarks/memory.py [--students N]

Grades a class of N with one job and looks at the processes twice a second. What is counted is the
proportional set size (PSS): pages that processes share are divided between them. The kernels'
share has the one that works, the one that is made ready, and their warm parent.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from classes import ASSIGNMENT, build

from graders.grading import demo

LIMIT = 600
"""MiB that a worker with its kernels may have at most."""


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--students", type=int, default=100, help="students in the class")
    options = parser.parse_args()
    samples: list[tuple[float, float, float]] = []
    with tempfile.TemporaryDirectory(prefix="memory-") as scratch:
        Path(scratch).chmod(0o755)
        course = build(Path(scratch) / "course", options.students)
        command = [sys.executable, "-m", "graders", "autograde", ASSIGNMENT,
                   "--jobs", "1", "--quiet", "--course", str(course.root)]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None:
                samples.append(look(process.pid))
                time.sleep(0.5)
        graded = len(list(course.root.glob("autograded/*/*/*.ipynb")))
    print(f"{graded} of {options.students * len(demo.NOTEBOOKS)} notebooks graded")
    quarter = max(1, len(samples) // 4)
    for name, part in (("first quarter", samples[:quarter]), ("last quarter", samples[-quarter:])):
        driver, worker, kernels = (max(column) for column in zip(*part, strict=True))
        print(f"{name}: at most {driver:.0f} MiB in the driver, {worker:.0f} in the worker, "
              f"{kernels:.0f} in its kernels and their warm parent")  # fmt: skip
    peak = max(worker + kernels for _, worker, kernels in samples)
    verdict = "within" if peak <= LIMIT else "MORE THAN"
    print(f"worker and kernels together at the peak: {peak:.0f} MiB, {verdict} {LIMIT}")


def look(driver: int) -> tuple[float, float, float]:
    """MiB of the driver, of its worker, and of the kernels with their warm parent."""
    sums = [0.0, 0.0, 0.0]
    try:
        top = psutil.Process(driver)
        family = [top, *top.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0.0, 0.0, 0.0
    for process in family:
        try:
            size = process.memory_full_info().pss / 2**20
            words = " ".join(process.cmdline())
        except psutil.Error:
            continue
        # The cache is filled by a process of its own, before there are workers.
        if "graders.grading.cache" in words:
            continue
        sums[0 if process.pid == driver else 2 if "graders.kernels" in words else 1] += size
    return sums[0], sums[1], sums[2]


if __name__ == "__main__":
    main()
