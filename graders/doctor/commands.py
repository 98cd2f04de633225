"""`graders doctor`."""

from __future__ import annotations

import argparse
import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from textwrap import fill
from typing import Any

from graders.doctor import jupyter, software
from graders.doctor.checkup import Check, Finding, Level, from_sentence, run

WORDS = "Look at this machine and a course, try what they offer, and say what to do."


def add_commands(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds the subcommand to the `graders` command."""
    add_options(command("doctor", examine, WORDS, assignment=False))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.add_argument("--course", type=Path, default=Path(), metavar="DIR",
                        help="the course's folder (default: this one)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def examine(options: argparse.Namespace) -> int:
    """Makes all checks and prints what they come to.

    Returns:
        0 if there is no problem, else 1.
    """
    found = []
    for finding in run(checks(options.course)):
        found.append(finding)
        if not options.json:
            print(lines(finding), flush=True)
    if options.json:
        print(json.dumps([asdict(finding) for finding in found], ensure_ascii=False, indent=1))
    else:
        print(f"\n{summary(found)}")
    return 1 if any(finding.level is Level.PROBLEM for finding in found) else 0


def checks(root: Path) -> Iterator[tuple[str, Check]]:
    """All checks; those of the course are of the one in `root`, if there is one."""
    yield "Python", software.python
    yield "packages", software.packages
    yield "JAX", software.jax
    yield "nbgrader", software.nbgrader
    yield "JupyterLab extension", jupyter.lab_extension
    yield "server extensions", jupyter.server_extensions
    # From here on nbgrader has to be there.
    course: Any = None

    def opened() -> Iterator[Finding]:
        nonlocal course
        from graders.grading.course import Course, CourseError

        try:
            course = Course(root)
            yield from of("course").configuration(course)
        except CourseError as error:
            course = None
            yield from_sentence("course", str(error))

    yield "course", opened
    if course is not None:
        yield "source", lambda: of("course").assignments(course)
        yield "database", lambda: of("course").database(course)
        yield "exchange", lambda: exchange(course)
    names = of("course").kernel_names(course) if course is not None else {"python3"}
    yield "kernel", lambda: jupyter.kernels(names)
    yield "confinement", lambda: of("confinement").confinement(course)


def of(module: str) -> Any:
    """A module of this package, imported when its turn comes, since it needs nbgrader."""
    return importlib.import_module(f"graders.doctor.{module}")


def exchange(course: Any) -> Iterator[Finding]:
    """The exchange as the course is configured."""
    config = of("course").nbgrader_config(course)
    identity = config.CourseDirectory.get("course_id", "")
    yield from of("exchange").exchange(config, identity)


def lines(finding: Finding) -> str:
    """A finding as text, with what to do on lines of its own."""
    indent = " " * 9
    first = f"{finding.level.value:<9}{finding.name}: {finding.words}."
    text = [fill(first, 100, subsequent_indent=indent, break_long_words=False,
                 break_on_hyphens=False)]  # fmt: skip
    if finding.advice:
        text.append(fill(finding.advice, 100, initial_indent=f"{indent}→ ",
                         subsequent_indent=f"{indent}  ", break_long_words=False,
                         break_on_hyphens=False))  # fmt: skip
    return "\n".join(text)


def summary(found: list[Finding]) -> str:
    """How many of each kind, and what that means."""
    count = Counter(finding.level for finding in found)
    parts = [f"{count[Level.OK]} ok"]
    parts += [
        f"{count[level]} {level.value}{'s' if count[level] > 1 else ''}"
        for level in (Level.WARNING, Level.PROBLEM)
        if count[level]
    ]
    end = "Do what the arrows say." if count[Level.PROBLEM] else "Nothing needs doing."
    return f"{', '.join(parts)}. {end}"
