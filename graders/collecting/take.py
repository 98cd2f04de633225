"""Which attempt counts, and where it goes: into the course's `submitted` folder, with receipts."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from nbformat import NotebookNode
from nbgrader.utils import is_solution

from graders.collecting.archives import File
from graders.collecting.names import Origin, Roster, origin
from graders.grading import intake, reading
from graders.grading.course import Course
from graders.grading.reading import Unreadable

_RESERVED = ("", "timestamp.txt")
"""What nbgrader writes itself, and believes."""

TAKEN, UNCHANGED, EARLIER = "taken", "as it was", "an earlier attempt"


@dataclass(frozen=True)
class Receipt:
    """What became of a file.

    Attributes:
        path: where it was in the download.
        student: whose it is, or `""`.
        target: the name it has in the submission, or `""`.
        status: `TAKEN`, `UNCHANGED`, `EARLIER`, or why it was refused.
        time: when it was handed in, UTC, as far as the download tells.
        late: whether the platform says that it came late.
        digest: SHA-256 of its content.
        size: bytes.
        answered: how many answer cells differ from what was handed out, or `None`.
        of: how many answer cells there are.
    """

    path: str
    student: str
    target: str
    status: str
    time: datetime | None = None
    late: bool = False
    digest: str = ""
    size: int = 0
    answered: int | None = None
    of: int = 0

    @property
    def refused(self) -> bool:
        """Whether it was not taken in, for a reason."""
        return self.status not in (TAKEN, UNCHANGED, EARLIER)


@dataclass(frozen=True)
class _Offer:
    file: File
    whose: Origin
    student: str
    target: str


def take(
    course: Course,
    assignment: str,
    files: Iterable[File],
    *,
    times: bool = False,
) -> list[Receipt]:
    """Takes in a download.

    Of several attempts the last one counts. One that is the same as an earlier one, or as what
    was taken in before, does not count as later: it keeps the earlier time.

    Args:
        course: the course.
        assignment: the assignment's name.
        files: the download's files.
        times: whether the files' times are those of handing in; they are written down then.

    Returns:
        A receipt for each file, in the download's order.

    Raises:
        CourseError: if there is no such assignment.
    """
    sources = course.sources(assignment)
    with course.gradebook() as gradebook:
        known = {student.id for student in gradebook.students}
        roster = Roster(gradebook.students)
        receipts: list[Receipt] = []
        offers: dict[str, dict[str, list[_Offer]]] = {}
        for file in files:
            whose = origin(file.path)
            if whose is None or file.refused:
                student = roster.find(whose) if whose else ""
                reason = file.refused or "its name does not say whose it is"
                receipts.append(Receipt(file.path, student, "", reason, file.time))
                continue
            student = roster.find(whose)
            target = _target(whose.rest, sources)
            receipt = Receipt(file.path, student, target, EARLIER, file.time, whose.late,
                              hashlib.sha256(file.data).hexdigest(), len(file.data))  # fmt: skip
            if target in _RESERVED or student in ("", ".", ".."):
                receipts.append(replace(receipt, status="no submission can have this name"))
                continue
            receipts.append(_counted(receipt, file, sources.get(target.removesuffix(".ipynb"))))
            offer = _Offer(file, whose, student, target)
            offers.setdefault(student, {}).setdefault(target, []).append(offer)
        for student, own in offers.items():
            if student not in known:
                gradebook.add_student(student, **_details(next(iter(own.values()))[0].whose))
    status = {}
    for student, own in offers.items():
        chosen = {target: _last(several) for target, several in own.items()}
        try:
            written = _write(course.folder("submitted", student, assignment), chosen, times)
        except OSError as error:
            for offer, _ in chosen.values():
                status[offer.file.path] = f"it cannot be written: {error.strerror}"
            continue
        for target, (offer, _) in chosen.items():
            status[offer.file.path] = TAKEN if target in written else UNCHANGED
    return [
        replace(receipt, status=status[receipt.path]) if receipt.path in status else receipt
        for receipt in receipts
    ]


def _details(whose: Origin) -> dict[str, str]:
    """What a new student is called."""
    if whose.name == "anon":
        return {}
    if whose.system == "canvas":
        return {"lms_user_id": whose.number, "last_name": whose.name}
    first, _, last = whose.name.rpartition(" ")
    return {"first_name": first, "last_name": last} if whose.system == "moodle" else {}


def _target(rest: str, sources: Mapping[str, NotebookNode]) -> str:
    """The name that a file gets in the submission."""
    # Of an archive that the student made, what was in it.
    inner = re.split(r"\.(?:zip|tar|tar\.gz|tgz)/", rest, flags=re.IGNORECASE)[-1]
    path = PurePosixPath(inner)
    stem = path.name.removesuffix(".ipynb")
    if path.name.endswith(".ipynb"):
        # Canvas numbers what is handed in again: notebook-1.ipynb.
        for text in (stem, re.sub(r"-\d+$", "", stem)):
            for name in sources:
                if text == name or reading.looks_like(text, name):
                    return f"{name}.ipynb"
    parts = [re.sub(r"[\x00-\x1f<>:\"\\|?*]", "_", part) for part in path.parts]
    return "/".join(part for part in parts if part not in ("", ".", "..", "/"))


def _counted(receipt: Receipt, file: File, source: NotebookNode | None) -> Receipt:
    """Adds how many of the answer cells are answered."""
    if source is None:
        return receipt
    stubs = {n: c.source for n, c in intake.by_name(intake.released(source)).items()
             if is_solution(c)}  # fmt: skip
    try:
        notebook = parse(file.data, receipt.target)
        cells = intake.by_name(notebook)
        if not stubs.keys() <= cells.keys():
            cells = intake.by_name(intake.repair(notebook, source)[0])
    except Unreadable:
        return replace(receipt, answered=0, of=len(stubs))
    answered = sum(
        name in cells and cells[name].source.split() != stub.split() for name, stub in stubs.items()
    )
    return replace(receipt, answered=answered, of=len(stubs))


def parse(data: bytes, name: str) -> NotebookNode:
    """A notebook from a file's content.

    Raises:
        Unreadable: if it is none.
    """
    return reading.parse(data.decode("utf-8-sig", "replace"), name)


def _last(several: list[_Offer]) -> tuple[_Offer, datetime | None]:
    """The attempt that counts, and its time: that of the first one that is the same."""

    def attempt(offer: _Offer) -> tuple[int, float]:
        return offer.whose.order, offer.file.time.timestamp() if offer.file.time else 0.0

    ordered = sorted(several, key=attempt)
    chosen = ordered[-1]
    time = chosen.file.time
    for offer in reversed(ordered):
        if fingerprint(offer.file.data) != fingerprint(chosen.file.data):
            break
        time = offer.file.time or time
    return chosen, time


def fingerprint(data: bytes) -> str:
    """Tells whether two files say the same; of notebooks only the cells' text counts."""
    try:
        notebook = parse(data, "notebook")
    except Unreadable:
        return hashlib.sha256(data).hexdigest()
    cells = repr([(cell.cell_type, cell.source) for cell in notebook.cells])
    return hashlib.sha256(cells.encode()).hexdigest()


def _write(
    folder: Path, chosen: Mapping[str, tuple[_Offer, datetime | None]], times: bool
) -> set[str]:
    """Writes a submission whole or not at all; returns what has changed in it."""
    changed = {
        target
        for target, (offer, _) in chosen.items()
        if not _same(folder / target, offer.file.data)
    }
    if not changed:
        return changed
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".collect-") as scratch:
        made = Path(scratch) / "new"
        if folder.is_dir() and not folder.is_symlink():
            shutil.copytree(folder, made, symlinks=True, ignore=_links)
        made.mkdir(exist_ok=True)
        for target in changed:
            path = made / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.write_bytes(chosen[target][0].file.data)
        known = [time for target in changed if (time := chosen[target][1]) is not None]
        if times and known:
            (made / "timestamp.txt").write_text(f"{max(known):%Y-%m-%d %H:%M:%S} UTC\n")
        if folder.exists() or folder.is_symlink():
            folder.rename(Path(scratch) / "old")
        made.rename(folder)
    return changed


def _links(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if (Path(folder) / name).is_symlink()]


def _same(path: Path, data: bytes) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    return fingerprint(path.read_bytes()) == fingerprint(data)
