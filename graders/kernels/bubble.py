"""Bubblewrap's way to a confined process, for kernels that start in a fresh process."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import PurePath

from graders.kernels.cage import Confinement

_NAMESPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")


@cache
def bubblewrap() -> str | None:
    """Path of the `bwrap` program, or None if it is not installed or not allowed to work."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    trial = (program, "--ro-bind", "/", "/", "--proc", "/proc", *_NAMESPACES, "--", "/bin/true")
    return None if subprocess.run(trial, capture_output=True, check=False).returncode else program


def wrap(confinement: Confinement) -> tuple[list[str], Confinement]:
    """Leaves namespaces and the root folder to bubblewrap, if it is there.

    Returns:
        What to put before a command, and what the process then still has to do itself.
    """
    program = bubblewrap()
    if program is None:
        return [], confinement
    words = [program, *_NAMESPACES]
    if os.getuid() == 0:
        words += ["--cap-add", "ALL"]  # the keeper needs them; the kernel gives them up
    words += ["--proc", "/proc", "--dev", "/dev", "--bind", confinement.temporary, "/tmp"]
    shown = (*filter(os.path.lexists, confinement.readonly), *confinement.writable)
    parents = {str(parent) for path in shown for parent in PurePath(path).parents[:-1]}
    for parent in sorted(parents):  # else they are root's alone
        words += ["--perms", "0755", "--dir", parent]
    for path in confinement.readonly:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            words += ["--ro-bind", path, path]
    for path in confinement.writable:
        words += ["--bind", path, path]
    return [*words, "--"], replace(confinement, namespaces=False, own_processes=True)
