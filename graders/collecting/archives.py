"""Every file of a download, nested archives included, without ever unpacking to disk.

Names in an archive are only ever labels here, so that none can lead anywhere. Links are refused,
and so is what unpacks to more than a submission can be; each archive that a student made has
limits of its own, so that one bomb costs nobody else anything. What lay in it has the archive's
own time: the times inside are the student's to choose.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO

from graders.grading.reading import MAX_FILES, MAX_SIZE

MAX_DEPTH = 3
"""How deep archives may lie in each other."""

MAX_UNPACKED = 4 * MAX_SIZE
"""Bytes that all files of an archive in the download may unpack to."""

_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz")
_BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError,
    NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class File:
    """A file of the download.

    Attributes:
        path: where it was; the names of archives it lay in are parts of it.
        data: its content, or `b""` where it is refused.
        time: when it was last changed, UTC, as the download says.
        refused: why it is not taken, or `""`.
    """

    path: str
    data: bytes = b""
    time: datetime | None = None
    refused: str = ""


class _Budget:
    """What one archive in the download may still unpack to."""

    def __init__(self) -> None:
        self.bytes = MAX_UNPACKED
        self.files = MAX_FILES

    def read(self, file: IO[bytes]) -> bytes:
        """Reads a file to its end.

        Raises:
            ValueError: if it is too large.
        """
        self.files -= 1
        limit = min(MAX_SIZE, self.bytes)
        data = file.read(limit + 1)
        self.bytes -= len(data)
        if len(data) > limit:
            raise ValueError(f"it unpacks to more than {limit / 1e6:.0f} MB")
        return data


def files(source: Path) -> Iterator[File]:
    """The files of a folder or an archive.

    Args:
        source: what the learning platform let download.

    Raises:
        ValueError: if it is neither.
    """
    if source.is_dir():
        for parent, folders, names in os.walk(source):
            folders.sort()
            for name in sorted(names):
                path = Path(parent) / name
                yield from _on_disk(path, path.relative_to(source).as_posix())
            for name in folders:
                if (Path(parent) / name).is_symlink():
                    yield File((Path(parent) / name).relative_to(source).as_posix(), refused=_LINK)
    elif source.is_file() and source.name.lower().endswith(_SUFFIXES):
        with source.open("rb") as file:
            yield from _archive(file, source.name, "", 0, None, None)
    else:
        raise ValueError(
            f"{source} is neither a folder nor a zip file; give what the platform let you download."
        )


_LINK = "it is a link"


def _on_disk(path: Path, label: str) -> Iterator[File]:
    if _ignored(label):
        return
    if path.is_symlink() or not path.is_file():
        yield File(label, refused=_LINK if path.is_symlink() else "it is no file")
        return
    time = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    if path.stat().st_size > MAX_SIZE and not label.lower().endswith(_SUFFIXES):
        yield File(label, time=time, refused=f"it has more than {MAX_SIZE / 1e6:.0f} MB")
    elif label.lower().endswith(_SUFFIXES):
        with path.open("rb") as file:
            yield from _archive(file, label, label + "/", 1, _Budget(), time)
    else:
        yield File(label, path.read_bytes(), time)


def _archive(
    file: IO[bytes],
    label: str,
    prefix: str,
    depth: int,
    budget: _Budget | None,
    time: datetime | None,
) -> Iterator[File]:
    """The files in an archive; without a budget it is the download, and each file has its own.

    They have the archive's time if there is one; those of the download have their own.
    """
    try:
        if depth > MAX_DEPTH:
            raise ValueError(f"archives lie more than {MAX_DEPTH} deep in each other")
        if label.lower().endswith(".zip"):
            members = _zip(file, prefix, depth, budget)
        else:
            members = _tar(file, label, prefix, depth, budget)
        for member in members:
            yield replace(member, time=time) if depth else member
    except _BROKEN as error:
        yield File(label, time=time, refused=f"the archive cannot be read: {error}")


def _zip(file: IO[bytes], prefix: str, depth: int, budget: _Budget | None) -> Iterator[File]:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            label = prefix + info.filename
            reason = _bad_name(info.filename)
            if info.is_dir() or (_ignored(label) and not reason):
                continue
            # No time zone in there: it is the local time of the machine that made the archive.
            try:
                time = datetime(*info.date_time).astimezone(UTC)
            except (ValueError, OverflowError):
                time = None
            if stat.S_ISLNK(info.external_attr >> 16):
                reason = _LINK
            if info.flag_bits & 1:
                reason = "it is encrypted"
            if reason:
                yield File(label, time=time, refused=reason)
                continue
            if budget is not None and budget.files <= 0:
                yield File(label, time=time, refused=_many())
                return
            own = budget or _Budget()
            try:
                with archive.open(info) as member:
                    data = own.read(member)
            except _BROKEN as error:
                yield File(label, time=time, refused=str(error) or type(error).__name__)
                continue
            yield from _inside(label, data, time, depth, own)


def _tar(
    file: IO[bytes], label: str, prefix: str, depth: int, budget: _Budget | None
) -> Iterator[File]:
    own = budget or _Budget()
    if not label.lower().endswith(".tar"):
        # Unpacked under the limit first: tarfile would unpack whatever it skips.
        with gzip.GzipFile(fileobj=file) as packed:
            unpacked = packed.read(own.bytes + 1)
        if len(unpacked) > own.bytes:
            raise ValueError(f"it unpacks to more than {own.bytes / 1e6:.0f} MB")
        file = io.BytesIO(unpacked)
    with tarfile.open(fileobj=file, mode="r:") as archive:
        for member in archive:
            inner = prefix + member.name
            reason = _bad_name(member.name)
            if member.isdir() or (_ignored(inner) and not reason):
                continue
            time = datetime.fromtimestamp(member.mtime, UTC)
            if not member.isreg():
                reason = _LINK if member.issym() or member.islnk() else "it is no file"
            content = None if reason else archive.extractfile(member)
            if content is None:
                yield File(inner, time=time, refused=reason)
                continue
            if own.files <= 0:
                yield File(inner, time=time, refused=_many())
                return
            try:
                data = own.read(content)
            except ValueError as error:
                yield File(inner, time=time, refused=str(error))
                continue
            yield from _inside(inner, data, time, depth, own)


def _inside(
    label: str, data: bytes, time: datetime | None, depth: int, budget: _Budget
) -> Iterator[File]:
    if label.lower().endswith(_SUFFIXES):
        yield from _archive(io.BytesIO(data), label, label + "/", depth + 1, budget, time)
    else:
        yield File(label, data, time)


def _many() -> str:
    return f"it and what follows: there are more than {MAX_FILES} files in one archive"


def _bad_name(name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or name[1:2] == ":" or "\0" in name:
        return "its name leads out of the archive"
    return ""


def _ignored(label: str) -> bool:
    """What operating systems leave behind, and what is hidden."""
    return any(part.startswith((".", "__MACOSX")) and part != ".." for part in label.split("/"))
