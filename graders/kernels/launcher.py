"""Starts keepers: forked from a warm parent where that works, else as fresh processes."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path

from graders.kernels import bubble
from graders.kernels.keeper import Request

log = logging.getLogger(__name__)

_HOME = Path(__file__).parents[2]
"""Where `python -m` finds this package, installed or not."""

_ours: weakref.WeakSet[socket.socket] = weakref.WeakSet()
"""Our ends of the sockets to warm parents and keepers."""


def can_fork() -> bool:
    """Whether kernels can be forked from a warm parent on this system."""
    return sys.platform == "linux"


def _close_in_child() -> None:
    """Closes our sockets in a process forked from this one.

    A socket that stays open there would keep kernels alive after this process has ended.
    """
    for sock in list(_ours):
        sock.close()
    _parents.clear()


class WarmParent:
    """A running warm parent with one set of environment variables."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        with _pair() as (self.socket, theirs), contextlib.ExitStack() as undo:
            self._stderr = undo.enter_context(tempfile.TemporaryFile())
            self.process = subprocess.Popen(
                [sys.executable, "-m", "graders.kernels.zygote", str(theirs.fileno())],
                env=dict(environment),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._stderr,
                stderr=self._stderr,
                cwd=_HOME,
                start_new_session=True,
            )
            undo.pop_all()

    @property
    def running(self) -> bool:
        """Whether it takes requests, as far as is known."""
        return self.process.poll() is None

    @property
    def replaceable(self) -> bool:
        """Whether it was killed; one that ended with an error would only do the same again."""
        return (self.process.poll() or 0) < 0

    def ask(self, request: Request, keeper: socket.socket) -> bool:
        """Asks for a kernel; False if the warm parent has ended."""
        if not self.running:
            return False
        if not _send(self.socket, request, keeper):
            self.process.wait()  # its socket closes a little before it has ended
            return False
        return True

    def last_words(self) -> str:
        """The last line that the warm parent wrote to its standard error."""
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "no message"

    def close(self) -> None:
        """Ends the warm parent; kernels that it started go on."""
        self.socket.close()
        self.process.kill()
        self.process.wait()
        self._stderr.close()


class SharedWarmParent:
    """A warm parent that belongs to another process, which has given us its socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        _ours.add(sock)
        self.running = True

    @property
    def replaceable(self) -> bool:
        """Whether it has ended; why is not to be learned here, so that another is tried."""
        return not self.running

    def ask(self, request: Request, keeper: socket.socket) -> bool:
        """Asks for a kernel; False if the warm parent has ended."""
        self.running = self.running and _send(self.socket, request, keeper)
        return self.running

    def last_words(self) -> str:
        """What is known of its end."""
        return "no message"

    def close(self) -> None:
        """Leaves it to the others."""
        self.socket.close()


def _send(sock: socket.socket, request: Request, keeper: socket.socket) -> bool:
    try:
        socket.send_fds(sock, [request.to_json()], [keeper.fileno()])
    except ConnectionError:
        return False
    return True


_parents: dict[frozenset[tuple[str, str]], WarmParent | SharedWarmParent] = {}
_lock = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


def warm_parent(environment: Mapping[str, str]) -> WarmParent | SharedWarmParent:
    """The warm parent for these environment variables, started if it is not running.

    One that ended by itself with an error is not started again: it would only do the same.
    """
    key = frozenset(environment.items())
    with _lock:
        parent = _parents.get(key)
        if parent is not None and parent.replaceable:
            log.info("The warm parent was killed; starting another.")
            parent.close()
            parent = None
        if parent is None:
            parent = _parents[key] = WarmParent(environment)
        return parent


Shared = list[tuple[dict[str, str], socket.socket]]
"""Warm parents for another process: their environment variables and a socket to each."""


def shared() -> Shared:
    """The running warm parents, to be given to another process for `adopt`."""
    with _lock:
        return [(dict(key), parent.socket) for key, parent in _parents.items() if parent.running]


def adopt(parents: Shared) -> None:
    """Takes kernels from another process's warm parents, as long as they run."""
    with _lock:
        for environment, sock in parents:
            _parents[frozenset(environment.items())] = SharedWarmParent(sock)


def last_words(environment: Mapping[str, str]) -> str:
    """Why the warm parent for these environment variables does not serve."""
    parent = _parents.get(frozenset(environment.items()))
    return parent.last_words() if parent else "no warm parent"


@atexit.register
def stop_warm_parents() -> None:
    """Ends all warm parents of this process; the next kernel starts a new one."""
    with _lock:
        for parent in _parents.values():
            parent.close()
        _parents.clear()


def start_warm(request: Request, environment: Mapping[str, str]) -> socket.socket | None:
    """Has a kernel forked.

    Args:
        request: The kernel wanted.
        environment: Environment of the warm parent: what modules read while they are imported.

    Returns:
        The socket to the kernel's keeper, or None if no warm parent takes the request.
    """
    with _pair() as (ours, theirs):
        ours.setblocking(False)
        for _ in range(2):  # the first may have died since it was last used
            if warm_parent(environment).ask(request, theirs):
                return ours
        ours.close()
    return None


def start_cold(request: Request) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Starts a kernel in a fresh process.

    Returns:
        The socket to the kernel's keeper, and the keeper's process.
    """
    before: list[str] = []
    if request.confinement is not None:
        before, confinement = bubble.wrap(request.confinement)
        request = dataclasses.replace(request, confinement=confinement)
    with _pair() as (ours, theirs), request.open_log() as log_file:
        ours.setblocking(False)
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "graders.kernels.keeper", str(theirs.fileno())],
            env=request.environment,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=log_file,
            cwd=_HOME,
        )
    with contextlib.suppress(ConnectionError):  # it has ended, as the next look at `ours` says
        ours.send(request.to_json())
    return ours, process


@contextlib.contextmanager
def _pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Our end of a connection and the other; ours stays open unless something goes wrong."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    _ours.add(ours)
    with theirs, contextlib.ExitStack() as undo:
        undo.enter_context(ours)
        yield ours, theirs
        undo.pop_all()
