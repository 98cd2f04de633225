"""The private folder of one kernel: its sockets, temporary files, home folder and log."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

import psutil

_PREFIX = "gk-"
"""Short, because the path of a UNIX socket has room for 107 characters."""

_STALE = 3600.0
"""Seconds after which a folder without its process is removed; processes of other containers, which
may share the folder for temporary files, cannot be seen."""


def make() -> Path:
    """Makes a private folder; it is the caller's to `remove`."""
    _sweep()
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")).resolve()


def clear(folder: Path) -> None:
    """Empties what a kernel may have filled, so that its successor finds nothing of it."""
    for name in ("home", "tmp"):
        remove(folder / name)
        (folder / name).mkdir()
    (folder / "kernel.log").unlink(missing_ok=True)


def remove(folder: Path) -> None:
    """Removes a folder, also where a kernel took away the permissions to do so."""
    for path, folders, _ in os.walk(folder):
        for name in folders:
            inner = os.path.join(path, name)
            if not os.path.islink(inner):
                os.chmod(inner, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


@cache
def _sweep() -> None:
    """Removes what processes that were killed have left, once a process."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        try:
            old = time.time() - folder.stat().st_mtime > _STALE
        except OSError:
            continue  # somebody else was quicker
        if old and owner.isdigit() and not psutil.pid_exists(int(owner)):
            remove(folder)
