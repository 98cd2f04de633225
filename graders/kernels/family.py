"""A kernel and everything it started: what they hold in memory, and how they are ended."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # Windows has none
    import resource

Ending: TypeAlias = "tuple[int, resource.struct_rusage]"
"""A process' wait status and what it used."""

_SEARCH = 0.2
"""Seconds between two searches for processes."""


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
            self._found = _below(os.getpid())
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
        import resource

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


def _below(top: int) -> list[int]:
    """The processes below one."""
    if not os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        import psutil

        return [child.pid for child in psutil.Process(top).children(recursive=True)]
    found, left = [], [top]
    while left:  # hundreds of times cheaper than a look at every process of the machine
        with contextlib.suppress(OSError):  # it has just ended; its children are ours now
            for file in Path("/proc", str(left.pop()), "task").glob("*/children"):
                children = [int(word) for word in file.read_text().split()]
                found += children
                left += children
    return found


def kill_tree(top: int) -> None:
    """Kills a process and everything below it, without waiting."""
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(top)
        for member in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _quick(process: int) -> int:
    """Its pages in no file, those that it shares with others counted in full."""
    return _sum(f"/proc/{process}/status", ("RssAnon:", "RssShmem:", "VmSwap:")) or 0


def _exact(process: int) -> int:
    """Its share of the pages in no file."""
    exact = _sum(f"/proc/{process}/smaps_rollup", ("Pss_Anon:", "Pss_Shmem:", "SwapPss:"))
    return _quick(process) if exact is None else exact


def _sum(path: str, wanted: tuple[str, ...]) -> int | None:
    """Bytes in these lines of a file in /proc, or None if it cannot be read."""
    try:
        with open(path) as file:
            lines = [line.split() for line in file if line.startswith(wanted)]
    except OSError:
        return None
    return sum(1024 * int(words[1]) for words in lines)
