"""nbgrader's exchange: the shared folder by which it hands out and collects.

The permissions are those that nbgrader's `ExchangeReleaseAssignment` sets and its documentation
asks for: everybody may write to the exchange itself; a course's folder there and what it hands out
belong to the instructor; into `inbound` everybody may put something and only the instructor looks.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from nbgrader.exchange.default import Exchange
from nbgrader.utils import self_owned
from traitlets.config import Config

from graders.doctor.checkup import Finding, ok, problem, warning
from graders.kernels import confine

_NAME = "exchange"


def exchange(config: Config, course_id: str) -> Iterator[Finding]:
    """Whether the exchange is there and open to those who use it, and to nobody else.

    Args:
        config: nbgrader's configuration.
        course_id: the course's id, or nothing.
    """
    if sys.platform == "win32":
        yield warning(_NAME, "nbgrader has none on Windows", "Use graders collect instead.")
        return
    if config.get("ExchangeFactory"):
        yield ok(_NAME, "the configuration has another than nbgrader's own; not looked at")
        return
    shared = bool(config.CourseDirectory.get("groupshared", False))
    root = Path(config.Exchange.get("root") or Exchange.root.default_value)
    if not root.is_dir():
        yield warning(
            _NAME,
            f"{root} is not there, so nbgrader can neither hand out nor collect",
            f"Run mkdir -p {root} && chmod 777 {root} as its administrator, or set "
            "c.Exchange.root; leave it if you hand out by other ways.",
        )
        return
    closed = confine.closed_parent(root.resolve())
    if closed:
        yield problem(
            _NAME, f"students cannot come to {root}: {closed} is closed to others",
            f"Run chmod o+x {closed}, or set c.Exchange.root to another place.",
        )  # fmt: skip
        return
    course = root / course_id
    wanted = [(root, 0o2770 if shared else 0o777, "everybody writes here")]
    if course_id:
        wanted += [
            (course, 0o2775 if shared else 0o755, "only the instructor writes here"),
            (course / "outbound", 0o2775 if shared else 0o755, "students only read here"),
            (
                course / "inbound",
                0o2773 if shared else 0o2733,
                "students only put here, and see nothing of each other's",
            ),
        ]
    wrong = list(_wrong(wanted, shared))
    yield from wrong
    if not wrong:
        there = "is there" if course.is_dir() else "has nothing of this course yet"
        yield ok(_NAME, f"{root} is open to all" + (f"; {course_id} {there}" if course_id else ""))


def _wrong(wanted: list[tuple[Path, int, str]], shared: bool) -> Iterator[Finding]:
    for number, (path, mode, why) in enumerate(wanted):
        if not path.exists():
            continue
        have = stat.S_IMODE(path.stat().st_mode)
        if not path.is_dir():
            yield problem(_NAME, f"{path} is no folder", "Move it away.")
        elif shared and number == 0:
            if not os.access(path, os.W_OK | os.X_OK):
                yield problem(_NAME, f"you cannot write to {path}", "Join the course's group.")
        elif have & 0o777 != mode & 0o777:
            yield problem(
                _NAME, f"{path} has the permissions {have:o} and should have {mode:o}: {why}",
                f"Run chmod {mode:o} {path}.",
            )  # fmt: skip
        elif number and not shared and not self_owned(str(path)):
            yield problem(
                _NAME, f"{path} belongs to {path.owner()}, so you cannot release or collect",
                "Release and collect as that user, or change the folder's owner.",
            )  # fmt: skip
