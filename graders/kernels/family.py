"""A kernel and everything it started: what they hold in memory, and how they are ended."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time

Ending = tuple[int, resource.struct_rusage]
"""A process' wait status and what it used."""

_PAGE = resource.getpagesize()
_SEARCH = 0.5
"""Seconds between two searches through all processes of the machine."""


class Family:
    """The processes below the calling one.

    Args:
        kernel: The kernel's process number.
        alone: Whether the calling process is the first of a PID namespace, so that every other
            process that it sees belongs to the family.
    """

    def __init__(self, kernel: int, *, alone: bool) -> None:
        self._kernel = kernel
        self._alone = alone
        self._found: list[int] = []
        self._searched = 0.0

    def _members(self) -> list[int]:
        if self._alone:
            self._found = [int(name) for name in os.listdir("/proc") if name.isdigit()]
            self._found.remove(1)
        elif time.monotonic() - self._searched > _SEARCH:
            import psutil

            self._found = [child.pid for child in psutil.Process().children(recursive=True)]
            self._searched = time.monotonic()
        return self._found

    @property
    def size(self) -> int:
        """How many processes were found when the memory was last looked at."""
        return len(self._found)

    def memory(self, cap: int) -> int:
        """Bytes of memory that the family holds.

        Pages that a child shares with its parent are counted twice at first; the exact sum takes
        milliseconds, so it is only made when the quick one is over `cap`.
        """
        used = sum(_quick(member) for member in self._members())
        return used if used <= cap else sum(_exact(member) for member in self._members())

    def end(self) -> Ending:
        """Kills the family, waits for it, and returns how the kernel ended."""
        last: Ending = (signal.SIGKILL, resource.getrusage(resource.RUSAGE_CHILDREN))
        while True:
            self._searched = 0.0
            if self._alone:
                _kill(-1)  # everything in the namespace but ourselves
            else:
                for member in self._members():
                    _kill(member)
            try:
                pid, status, usage = os.wait4(-1, 0)
            except ChildProcessError:
                return last
            if pid == self._kernel:
                last = (status, usage)


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _quick(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm") as file:
            _, resident, shared = file.read().split()[:3]
    except OSError:
        return 0
    return (int(resident) - int(shared)) * _PAGE


def _exact(process: int) -> int:
    """Its share of the pages that are in memory but in no file."""
    try:
        with open(f"/proc/{process}/smaps_rollup") as file:
            lines = [line.split() for line in file]
    except OSError:
        return _quick(process)
    kilobytes = {words[0]: int(words[1]) for words in lines if words[-1] == "kB"}
    return 1024 * (kilobytes.get("Pss_Anon:", 0) + kilobytes.get("Pss_Shmem:", 0))
