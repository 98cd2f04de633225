"""`graders report` and `graders status`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from graders.grading import ledger
from graders.grading.course import Course, CourseError
from graders.reporting import choices, classroom, sections, similar, stats, status, tidy, traced
from graders.reporting.page import Content, page

Command = Callable[[str, object, str], argparse.ArgumentParser]
"""Makes a subcommand of a name, the function to run and a sentence about it."""


def add_commands(command: Command) -> None:
    """Adds the subcommands to the `graders` command."""
    sub = command("report", _report, "Write a page that shows the class at a glance.")
    sub.add_argument(
        "--out", type=Path, metavar="FILE", help="the page (default: ledger/<assignment>.html)"
    )
    sub.add_argument("--anonymous", action="store_true", help="numbers instead of names")
    sub.add_argument(
        "--since", type=Path, metavar="LEDGER", help="an earlier run's ledger to compare with"
    )
    sub.add_argument("--csv", type=Path, metavar="DIR", help="write the data as CSV files, too")
    sub.add_argument(
        "--similar",
        action="store_true",
        help="list answers that are built alike; a list to look at, never a verdict",
    )
    command("status", _status, "Show who has handed in, is graded, and needs what.")


def _report(options: argparse.Namespace) -> int:
    course = Course(options.course)
    sources = course.sources(options.assignment)
    room = classroom.load(course, options.assignment)
    if not room.marks:
        raise CourseError(
            f"Nothing of {options.assignment} is graded yet; run graders autograde first."
        )
    before = None if options.since is None else _before(options.assignment, options.since)
    pairs = None
    if options.similar:
        pairs = traced.compare(room, similar.pairs(room, sources), course.settings())
    if options.anonymous:
        if pairs is not None:
            raise CourseError("Similar answers are looked at by name; leave out --anonymous.")
        room = classroom.anonymous(room)
    ranking = stats.ranking(room, sections.of_quiz(sources))
    items = stats.items(room)
    chosen = choices.choices(room, choices.questions(sources))
    path = options.out or course.root / "ledger" / f"{options.assignment}.html"
    with _writing(path, "--out"):
        ledger.write_text(path, page(Content(room, ranking, items, chosen, before, pairs)))
    print(f"Wrote {path}")
    if options.csv is not None:
        with _writing(options.csv, "--csv"):
            files = tidy.write(options.csv, room, ranking, items, chosen)
        for file in files:
            print(f"Wrote {file}")
    return 0


@contextmanager
def _writing(path: Path, option: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CourseError(
            f"{path} cannot be written ({error.strerror}); give another place as {option}."
        ) from None


def _before(assignment: str, path: Path) -> classroom.Classroom:
    try:
        return classroom.of_rows(assignment, ledger.read(path))
    except OSError as error:
        raise CourseError(
            f"{path} cannot be read ({error.strerror}); give an earlier ledger as --since."
        ) from None
    except ValueError as error:
        raise CourseError(f"{error} Give an earlier ledger as --since.") from None


def _status(options: argparse.Namespace) -> int:
    course = Course(options.course)
    print(status.table(classroom.load(course, options.assignment)))
    return 0
