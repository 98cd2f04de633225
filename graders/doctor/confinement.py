"""How student code is confined here, tried by a kernel that attacks."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlalchemy import make_url

from graders.doctor import trial
from graders.doctor.checkup import Finding, ok, problem, warning
from graders.grading.course import Course
from graders.grading.judge import Settings
from graders.kernels import confine
from graders.kernels.limits import Limits
from graders.kernels.manager import kernel_manager

_CONTAINER = (
    "Grade in a Linux container or on a Linux with Landlock (from version 6.12) and libseccomp; "
    "until then read what you grade."
)


def confinement(course: Course | None) -> Iterator[Finding]:
    """What the machine offers, and what a confined kernel can do all the same.

    Args:
        course: whose files the kernel is to attack, besides made-up ones, and whose settings count.
    """
    name = "confinement"
    settings = course.settings() if course else Settings()
    offered = confine.available()
    words = confine.describe(offered).rstrip(".")
    if settings.confine == "off":
        yield warning(
            name, f'the configuration switches it off; with "auto": {words}',
            'Write c.JudgeAnswers.confine = "auto" into nbgrader_config.py.',
        )  # fmt: skip
    elif offered.missing:
        more = ' With confine = "required" nothing is graded here.'
        yield problem(name, words, _CONTAINER + (more if settings.confine == "required" else ""))
    elif not offered.namespaces:
        yield warning(
            name, f"{words}, not by namespaces ({offered.reason})",
            "All is covered; only that a file exists can be seen. A container needs "
            "--security-opt seccomp=unconfined or the like for namespaces.",
        )  # fmt: skip
    else:
        yield ok(name, words)
    if sys.platform == "linux":
        yield from _tried(settings.warm, _targets(course) if course else {})


def _targets(course: Course) -> dict[str, str]:
    """What is to be attacked of a course; what it has not is made up."""
    folders = {
        "source": course.source_folder,
        "submission": course.root / course.directory.submitted_directory,
    }
    found = {
        name: next((str(path) for path in folder.rglob("*") if path.is_file()), None)
        for name, folder in folders.items()
    }
    url = make_url(course.directory.db_url)
    if url.get_backend_name() == "sqlite" and url.database and Path(url.database).is_file():
        found["gradebook"] = url.database
    found |= {"course": str(course.root), "home": str(Path.home())}
    return {name: path for name, path in found.items() if path}


def _tried(warm: bool, real: dict[str, str]) -> Iterator[Finding]:
    def make(folder: Path, limits: Limits, readonly: Sequence[Path]) -> object:
        return kernel_manager(folder, warm=warm, limits=limits, readonly=readonly)

    outcome = asyncio.run(trial.attack(make, real))
    name = "attacks"
    allowed = set() if confine.available().namespaces else trial.NEED_NAMESPACES
    through = [attack for attack in outcome.succeeded if attack not in allowed]
    if through:
        yield problem(
            name,
            f"of {len(outcome.refused)} forbidden things a student's code can do {len(through)}: "
            + ", ".join(through),
            _CONTAINER,
        )
    else:
        yield ok(
            name, f"a confined kernel tried {len(outcome.refused)} forbidden things; none went"
        )
    if outcome.wrong:
        yield problem(
            name,
            f"a confined kernel cannot do what it has to: {'; '.join(outcome.wrong)}",
            "Make the Python environment readable for all (chmod -R a+rX), or move it out of "
            "closed folders.",
        )
    if warm and outcome.started != "warm":
        yield warning(
            name, f"kernels start {outcome.started}, which takes a second more each",
            "Grade something with graders check: the warning on it says why.",
        )  # fmt: skip
