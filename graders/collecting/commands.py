"""`graders collect`."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence, Set
from datetime import UTC, datetime
from pathlib import Path

from graders.collecting import archives
from graders.collecting.take import EARLIER, TAKEN, UNCHANGED, Receipt, take
from graders.exporting import sheets
from graders.grading.course import Course, CourseError

_HEADER = (
    "student", "file", "name", "status", "time", "late", "sha256", "bytes", "answered", "of",
    "download", "collected",
)  # fmt: skip


def add_commands(command: Callable[[str, object, str], argparse.ArgumentParser]) -> None:
    """Adds the subcommand to the `graders` command."""
    sub = command("collect", _collect, "Take in a bulk download of Canvas or Moodle.")
    sub.add_argument(
        "--from", dest="source", type=Path, required=True, metavar="DIR|ZIP", help="the download"
    )
    sub.add_argument(
        "--times",
        action="store_true",
        help="the files' times are those of handing in: count lateness from them (Canvas writes "
        "the time of the download there)",
    )


def _collect(options: argparse.Namespace) -> int:
    course = Course(options.course)
    course.sources(options.assignment)
    with course.gradebook() as gradebook:
        known = {student.id for student in gradebook.students}
    try:
        receipts = take(
            course, options.assignment, archives.files(options.source), times=options.times
        )
    except ValueError as error:
        raise CourseError(str(error)) from None
    path = course.root / "ledger" / f"{options.assignment}.receipts.csv"
    run = (options.source.resolve().name, f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}")
    sheets.write(path, _HEADER, [*_earlier(path), *((*_row(r), *run) for r in receipts)])
    print(summary(receipts, known))
    print(f"Wrote a receipt for each file into {path}")
    return 1 if any(receipt.refused for receipt in receipts) else 0


def _row(receipt: Receipt) -> Sequence[sheets.Value]:
    return (
        receipt.student, receipt.path, receipt.target, receipt.status,
        f"{receipt.time:%Y-%m-%d %H:%M:%S}" if receipt.time else None,
        "late" if receipt.late else None, receipt.digest, receipt.size, receipt.answered,
        receipt.of or None,
    )  # fmt: skip


def _earlier(path: Path) -> list[list[str]]:
    """The receipts of earlier downloads, which stay."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head, *rows = csv.reader(file)
    except (FileNotFoundError, ValueError):
        return []
    return rows if head == list(_HEADER) else []


def summary(receipts: Sequence[Receipt], known: Set[str]) -> str:
    """What a download came to, who is new, and what was refused and why.

    Args:
        receipts: a receipt for each file.
        known: the students that the gradebook had before.
    """
    kinds = {
        kind: [r for r in receipts if r.status == kind] for kind in (TAKEN, UNCHANGED, EARLIER)
    }
    students = {receipt.student for receipt in (*kinds[TAKEN], *kinds[UNCHANGED])}
    lines = [
        f"Students: {len(students)}. Files taken: {len(kinds[TAKEN])}, as they were before: "
        f"{len(kinds[UNCHANGED])}, earlier attempts that do not count: {len(kinds[EARLIER])}."
    ]
    if new := sorted(students - known):
        lines.append(
            f"New in the gradebook: {', '.join(new)}. Whoever was there already under another id: "
            "give that entry the name or the number (lms_user_id) of the download, and collect "
            "again."
        )
    lines += [f"REFUSED: {r.path}: {r.status}" for r in receipts if r.refused]
    return "\n".join(lines)
