"""`graders lab`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from nbgrader.utils import get_username

from graders.grading import batch, pools
from graders.grading.course import CourseError
from graders.grading.demo import ASSIGNMENT
from graders.lab import desks, server

_FOLDERS = (
    ("course", "the instructor's: source, release, submissions, gradebook"),
    ("exchange", f"where nbgrader hands out and collects; {ASSIGNMENT} is released"),
    ("student", "a student's, empty until the Assignment List fetches"),
    ("…-home", "what Jupyter keeps for each of the two"),
)

_HINTS = {
    "instructor": "Open source/ in the file browser, or choose Nbgrader → Formgrader.",
    "student": f"Choose Nbgrader → Assignment List, fetch {ASSIGNMENT}, and open a notebook.",
}


def add_commands(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds the subcommand to the `graders` command."""
    words = "Open a demo course in JupyterLab, with an exchange and a class; all in one folder."
    sub = command("lab", run, words, assignment=False)
    sub.add_argument(
        "--role", choices=desks.ROLES, default=desks.ROLES[0], help="as whom (default: %(default)s)"
    )
    sub.add_argument("--folder", type=Path, default=Path("demo-lab"), metavar="DIR",
                     help="where everything goes (default: %(default)s)")  # fmt: skip
    sub.add_argument("--no-browser", action="store_true", help="open no browser")
    sub.add_argument("--port", type=int, metavar="N", help="JupyterLab's port")


def run(options: argparse.Namespace) -> int:
    """Makes the folder, unless it is there, and becomes JupyterLab.

    Raises:
        CourseError: if the folder cannot be made.
    """
    if sys.platform == "win32":
        raise CourseError("nbgrader has no exchange on Windows; run this in WSL or a container.")
    role, lab = options.role, desks.at(options.folder)
    fresh = not lab.is_ready
    # What is written to a home folder from here on is written to one inside the lab's.
    os.environ.update(server.environment(lab.home(role)))
    desks.make(
        Path.cwd(), lab.folder, lambda text: print(f"{text} …", flush=True),
        lambda: pools.local(batch.jobs_by_default()),
    )  # fmt: skip
    print(_summary(lab, role, fresh=fresh), flush=True)
    os.chdir(lab.course if role == "instructor" else lab.student)
    command = server.command(options.port, browser=not options.no_browser)
    os.execv(command[0], command)


def _summary(lab: desks.Lab, role: str, *, fresh: bool) -> str:
    """What there is, where, and what to do with it."""
    other = desks.ROLES[1 - desks.ROLES.index(role)]
    made = "This was made" if fresh else "This is there from before"
    return "\n".join(
        (
            f"\n{made}, all in {lab.folder}:",
            *(f"  {name:<10} {what}" for name, what in _FOLDERS),
            "",
            "A made-up class has handed in, and all but one of it are graded.",
            f"You are {get_username()}, now as {role}. {_HINTS[role]}",
            f"In another terminal, make lab ROLE={other} opens the other side.",
            "Ctrl-C ends JupyterLab. Remove the folder to begin anew.",
        )
    )
