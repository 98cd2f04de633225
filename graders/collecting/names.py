"""Whose a file is: the names that Canvas and Moodle give to what they let download.

Canvas (canvas-lms `lib/content_zipper.rb`): `doejane_LATE_1234_5678_notebook.ipynb`, of which the
numbers are the user's and the file's; `anon_AbC12_5678_notebook.ipynb` where names are hidden;
`doejane_1234_text.html` or `_link.html` for what was typed in.
Moodle (`mod/assign/classes/downloader.php`): `Jane Doe_1234_assignsubmission_file/notebook.ipynb`,
in older versions with `file_`, or the same without folders. The number is the participant's.
Anything else: a folder for each student.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_REST = r"_(?:(?P<file>\d+)_)?(?P<rest>(?(file).+|(?:text|link)\.html))"
_CANVAS = (
    re.compile(r"(?P<late>LATE_)?(?P<name>anon)_(?P<user>[^_/]+)" + _REST),
    re.compile(r"(?P<name>[^/]+?)_(?P<late>LATE_)?(?P<user>\d+)" + _REST),
)
_MOODLE = re.compile(
    r"(?P<name>[^/]+)_(?P<user>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?:_?/|_)(?P<rest>.+)"
)


@dataclass(frozen=True)
class Origin:
    """Whose a file is.

    Attributes:
        name: the student's name as the platform writes it, or the folder's.
        number: the platform's number, or `""`.
        rest: the file's own path.
        system: `"canvas"`, `"moodle"` or `"folder"`.
        late: whether the platform says that it came late.
        order: grows with each attempt, where the platform tells.
    """

    name: str
    number: str
    rest: str
    system: str
    late: bool = False
    order: int = 0


def origin(path: str) -> Origin | None:
    """Whose a file is; `None` if its name does not say."""
    # The download may lie in a folder of its own.
    for start in (0, path.find("/") + 1):
        text = path[start:]
        if match := _MOODLE.fullmatch(text):
            return Origin(match["name"], match["user"], match["rest"], "moodle")
        for pattern in _CANVAS:
            if match := pattern.fullmatch(text):
                return Origin(
                    match["name"], match["user"], match["rest"], "canvas", bool(match["late"]),
                    int(match["file"] or 0),
                )  # fmt: skip
    folder, slash, rest = path.partition("/")
    return Origin(folder, "", rest, "folder") if slash else None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


class Roster:
    """Finds the student that the gradebook knows.

    Args:
        students: nbgrader's students: `id`, `first_name`, `last_name`, `lms_user_id`.
    """

    def __init__(self, students: Sequence[Any]) -> None:
        self._by_number = {s.lms_user_id: s.id for s in students if s.lms_user_id}
        self._by_name: dict[str, set[str]] = {}
        for student in students:
            first, last = student.first_name or "", student.last_name or ""
            for name in (student.id, first + last, last + first):
                if _plain(name):
                    self._by_name.setdefault(_plain(name), set()).add(student.id)

    def find(self, whose: Origin) -> str:
        """The student's id; a new one is made of name and number."""
        if whose.system == "canvas" and whose.number in self._by_number:
            return str(self._by_number[whose.number])
        known = self._by_name.get(_plain(whose.name), set())
        if len(known) == 1:
            return next(iter(known))
        if whose.system == "folder":
            return whose.name
        name = re.sub(r"[^\w]+", "-", whose.name.casefold()).strip("-_")
        return f"{name or 'student'}-{whose.number}"
