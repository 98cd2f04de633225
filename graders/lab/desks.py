"""The demo's folders: the instructor's course, the exchange, and a student's desk."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI
from nbgrader.auth import Authenticator
from nbgrader.utils import get_username

from graders.grading import batch, demo
from graders.grading.course import Course, CourseError

ROLES = ("instructor", "student")


@dataclass(frozen=True)
class Lab:
    """A folder with everything in it.

    Attributes:
        folder: the folder.
    """

    folder: Path

    @property
    def course(self) -> Path:
        """The instructor's folder."""
        return self.folder / "course"

    @property
    def exchange(self) -> Path:
        """Where nbgrader hands out and collects."""
        return self.folder / "exchange"

    @property
    def student(self) -> Path:
        """The folder that a student works in."""
        return self.folder / "student"

    def home(self, role: str) -> Path:
        """Where Jupyter keeps its settings and files for a role."""
        return self.folder / f"{role}-home"

    @property
    def is_ready(self) -> bool:
        """Whether it was made to the end."""
        return self._marker.is_file()

    @property
    def _marker(self) -> Path:
        return self.folder / ".graders-lab"


def at(folder: Path) -> Lab:
    """The lab in a folder, made or to be made.

    Raises:
        CourseError: if the folder holds something else.
    """
    lab = Lab(folder.resolve())
    own = {lab.course, lab.exchange, lab.student, *map(lab.home, ROLES)}
    if not lab.is_ready and lab.folder.exists() and not own.issuperset(_entries(lab.folder)):
        raise CourseError(f"{folder} holds something else than a demo; give another --folder.")
    return lab


def _entries(path: Path) -> list[Path]:
    return list(path.iterdir()) if path.is_dir() else [path]


def share(lab: Lab) -> None:
    """Makes the exchange and has both sides' configuration name it.

    Args:
        lab: its course has a configuration already, which keeps what it says.
    """
    for folder in (lab.exchange, lab.student):
        folder.mkdir(parents=True, exist_ok=True)
    lab.exchange.chmod(0o777)
    where = f"\nc.Exchange.root = {str(lab.exchange)!r}\n"
    config = lab.course / "nbgrader_config.py"
    # In JupyterLab nbgrader reads it wherever the server was started.
    root = f"c.CourseDirectory.root = {str(lab.course)!r}\n"
    config.write_text(f"{config.read_text(encoding='utf-8')}{where}{root}", encoding="utf-8")
    identity = Course(lab.course).directory.course_id
    (lab.student / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.course_id = {identity!r}{where}", encoding="utf-8"
    )


def stamp(submission: Path) -> None:
    """Adds what nbgrader's submit does, and without which it releases nobody's feedback."""
    (submission / "timestamp.txt").write_text(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
    (submission / "submission_secret.txt").write_text(secrets.token_hex(64))


def make(
    repository: Path,
    folder: Path,
    say: Callable[[str], None],
    pool: Callable[[], Executor],
    students: Mapping[str, Mapping[str, str]] = demo.CLASS,
) -> Lab:
    """Makes the course, hands in and grades its class, and releases the assignment.

    Args:
        repository: where `source/`, `nbgrader_config.py` and `tests/answers/` are.
        folder: where everything goes. One that was made to the end is left as it is.
        say: told what is being done.
        pool: makes the executor that grades.
        students: as `demo.build` takes them; the last one is left to be graded.

    Raises:
        CourseError: if the folder holds something else, or a part cannot be made.
    """
    lab = at(folder)
    if lab.is_ready:
        return lab
    demo.build(repository, lab.course, say, students)
    share(lab)
    course = Course(lab.course)
    for student in students:
        stamp(course.folder("submitted", student, demo.ASSIGNMENT))
    *graded, _ = students
    say("Grading all but one of them")
    batch.autograde(course, demo.ASSIGNMENT, students=graded, pool=pool)
    with course.gradebook() as gradebook:
        for student in {*students, get_username()}:
            gradebook.update_or_create_student(student)
    say("Releasing the assignment into the exchange")
    api = NbGraderAPI(course.directory, Authenticator(config=course.config), config=course.config)
    told = api.release_assignment(demo.ASSIGNMENT)
    if not told["success"]:
        raise CourseError(f"The assignment cannot be released: {told.get('log', '').strip()}")
    lab._marker.touch()
    return lab
