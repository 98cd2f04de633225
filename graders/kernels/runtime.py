"""The private folder of one kernel: its sockets, temporary files, home folder and log.

The kernel may write only what is in `OPEN`. The folder itself, the connection file and the log are
its starter's, who reads and writes them and would follow a link that the kernel had put there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path

import psutil

OPEN = ("sockets", "home", "tmp")
"""The folders in it that the kernel may write."""

CONNECTION = "connection.json"
"""The file that jupyter_client writes for the kernel."""

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
    for name in OPEN:
        remove(folder / name)
        (folder / name).mkdir(mode=0o700)


def give(private: Path, folder: Path, user: int) -> None:
    """Makes another user the owner of all that a kernel may write, its own folder included."""
    for path, mode in ((private, 0o710), (private / CONNECTION, 0o640)):
        os.chown(path, -1, user)  # to read, not to change
        path.chmod(mode)
    for top in (folder, *(private / name for name in OPEN)):
        os.chown(top, user, user)
        for inner, folders, files in os.walk(top):
            for name in (*folders, *files):
                os.chown(os.path.join(inner, name), user, user, follow_symlinks=False)


def remove(folder: Path) -> None:
    """Removes a folder, also where a kernel took away the permissions to do so."""
    if folder.is_dir():
        folder.chmod(0o700)
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
