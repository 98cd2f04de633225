"""The kernels as a `KernelProvisioner`: jupyter_client, nbclient and nbgrader need no change."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import Bool, Dict, Enum, Instance, Unicode
from traitlets import List as ListTrait

from graders.kernels import confine, launcher, runtime
from graders.kernels.family import kill_tree
from graders.kernels.keeper import MESSAGE_SIZE, Request
from graders.kernels.limits import Limits
from graders.kernels.reason import ExitReason

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
"""The environment variables that a kernel keeps; everything else may be a secret."""

_FIXED = {
    "OPENBLAS_NUM_THREADS": "1",  # a second thread would make forking unsafe
    "OMP_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "PYTHONHASHSEED": "0",  # warm kernels share one seed; cold ones shall not differ
    "USER": "student",
    "LOGNAME": "student",
}


_END_SECONDS = 5.0
"""How long a kernel that is abandoned may take to end before its folder is removed."""


def shared_environment(further: Mapping[str, str]) -> dict[str, str]:
    """The environment variables that kernels have in common with their warm parent.

    Args:
        further: those beside the few that are kept and fixed.
    """
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | _FIXED | dict(further)


class KernelStartError(RuntimeError):
    """A kernel could not be started; the message says why and what to do."""


class GradersProvisioner(LocalProvisioner):
    """Launches each kernel from a warm parent, in a private folder, over `ipc`.

    Where forking is not to be had it starts a cold kernel and says so once.
    """

    warm = Bool(True, config=True, help="Fork kernels from a warm parent where possible.")
    folder = Unicode("", config=True, help="The kernel's working folder; default: `cwd`.")
    environment = Dict(config=True, help="Environment variables beside the few that are kept.")
    limits = Instance(Limits, args=(), help="Caps on memory, time, processes and files.")
    confine = Enum(confine.MODES, "auto", config=True, help="Whether student code is confined.")
    readonly = ListTrait(Unicode(), config=True, help="More folders that the kernel may read.")

    _control: socket.socket | None = None
    _cold: subprocess.Popen[bytes] | None = None
    _runtime: Path | None = None
    _connection_file = ""
    _request: Request
    _ready = False
    _failure = ""
    _requested = False
    exit_reason: ExitReason | None = None
    started = ""
    """How the running kernel was started: "warm", "cold" or "plain" (not on Linux)."""

    @property
    def has_process(self) -> bool:
        """Whether a kernel was launched and its end not yet waited for."""
        return self._control is not None or super().has_process

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Makes the private folder and points the manager to sockets in it."""
        if launcher.can_fork():
            if self._runtime is None:
                self._runtime = runtime.make()
            runtime.clear(self._runtime)
            manager: Any = self.parent
            manager.cache_ports = False
            manager.transport = "ipc"
            manager.ip = str(self._runtime / "sockets" / "k")
            manager.connection_file = self._connection_file = str(
                self._runtime / runtime.CONNECTION
            )
        return await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Starts a kernel; when this returns, it is listening.

        Raises:
            KernelStartError: It did not start.
            ConfinementError: It has to be confined and cannot be.
        """
        if self._runtime is None:
            self.log.info("Kernels start cold here: forking them needs Linux.")
            self.started = "plain"
            return await super().launch_kernel(cmd, **kwargs)
        self.cwd = Path(self.folder or kwargs.get("cwd") or Path.cwd()).resolve()
        self._requested = False
        shared = shared_environment(self.environment)
        private = {
            "HOME": str(self._runtime / "home"),
            "IPYTHONDIR": str(self._runtime / "home" / ".ipython"),
            "TMPDIR": str(self._runtime / "tmp"),
        }
        request = self._request = Request(
            connection_file=self._connection_file,
            folder=str(self.cwd),
            runtime=str(self._runtime),
            environment=shared | private,
            limits=self.limits,
            confinement=confine.plan(
                self.confine, str(self.cwd), str(self._runtime), self.readonly
            ),
        )
        if request.confinement is not None and request.confinement.user is not None:
            runtime.give(self._runtime, self.cwd, request.confinement.user)
        if not (self.warm and await self._start_warm(request, shared)):
            await self._start_cold(request)
        return self.connection_info

    async def _start_warm(self, request: Request, environment: dict[str, str]) -> bool:
        for _ in range(2):  # a warm parent that dies takes the requests it has not read with it
            self._control = launcher.start_warm(request, environment)
            if self._control is not None and await self._wait_ready():
                self.started = "warm"
                return True
            self._let_go()
        reason = self._failure or self._last_line() or launcher.last_words(environment)
        self.log.warning("Kernels start cold, which is slower: forking failed (%s).", reason)
        return False

    async def _start_cold(self, request: Request) -> None:
        self._control, self._cold = launcher.start_cold(request)
        if not await self._wait_ready():
            reason = self._failure or self._last_line() or "no message"
            self._let_go()
            raise KernelStartError(f"The kernel for {request.folder} did not start: {reason}.")
        self.started = "cold"

    async def _wait_ready(self) -> bool:
        self.exit_reason, self._ready, self._failure, self.pid = None, False, "", None
        await self._until(lambda: self._ready)
        return self._ready

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Waits until the condition holds or the keeper has ended."""
        self._receive()
        while self._control is not None and self.exit_reason is None and not condition():
            await _readable(self._control)
            self._receive()

    def _receive(self) -> None:
        """Takes in what the keeper has sent."""
        while self._control is not None and self.exit_reason is None:
            try:
                message = self._control.recv(MESSAGE_SIZE)
            except BlockingIOError:
                return
            except OSError:
                message = b""
            if not message:  # the keeper is gone, and with it the kernel
                self.exit_reason = ExitReason(signal=signal.SIGKILL, code=None)
                return
            self._take(json.loads(message))

    def _take(self, message: dict[str, Any]) -> None:
        if "pid" in message:
            # a cold keeper may be in a PID namespace, where it has another number
            self.pid = self._cold.pid if self._cold else message["pid"]
        elif "ready" in message:
            self._ready = True
        elif "error" in message:
            self._failure = message["error"].strip().rpartition("\n")[2]
        elif "exit" in message:
            self.exit_reason = ExitReason.from_keeper(
                message["exit"], requested=self._requested, stderr=self._stderr_tail()
            )

    def _stderr_tail(self) -> str:
        try:
            with open(self._request.log, "rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - 4000))
                return file.read().decode(errors="replace")
        except OSError:
            return ""

    def _last_line(self) -> str:
        return self._stderr_tail().strip().rpartition("\n")[2]

    def _let_go(self) -> None:
        """Closes the socket to the keeper, which ends the kernel if it is still there."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._cold is not None:
            self._cold.wait()
            self._cold = None

    def abandon(self) -> None:
        """Ends the kernel and removes its private folder, where no event loop is to be had."""
        if self._runtime is None:
            if self.process is not None:
                self.process.kill()
            return
        if self._control is not None:
            with contextlib.suppress(OSError):  # ended already, or it takes too long
                self._control.shutdown(socket.SHUT_WR)
                self._control.settimeout(_END_SECONDS)
                while self._control.recv(MESSAGE_SIZE):
                    pass  # the keeper closes its end when everything has ended
        self._let_go()
        runtime.remove(self._runtime)
        self._runtime = None

    def ended(self) -> ExitReason | None:
        """How the kernel ended, or None while it runs."""
        self._receive()
        return self.exit_reason

    async def poll(self) -> int | None:
        """None while the kernel runs, else its exit code as `Popen` would give it."""
        if self._runtime is None:
            return await super().poll()
        self._receive()
        return self._code() if self._control is None or self.exit_reason else None

    async def wait(self) -> int | None:
        """Waits until the kernel has ended, without polling."""
        if self._runtime is None:
            return await super().wait()
        await self._until(lambda: False)
        self._let_go()
        return self._code()

    def _code(self) -> int:
        return self.exit_reason.returncode if self.exit_reason else 0

    async def send_signal(self, signum: int) -> None:
        """Sends a signal to the kernel's process group."""
        if self._runtime is None:
            await super().send_signal(signum)
        elif signum and self._control is not None:
            self._requested = self._requested or signum in (signal.SIGTERM, signal.SIGKILL)
            with contextlib.suppress(OSError):  # ended already
                self._control.send(json.dumps({"signal": signum}).encode())

    async def kill(self, restart: bool = False) -> None:
        """Ends the kernel and everything it started, and waits for that."""
        if self._runtime is None:
            await super().kill(restart=restart)
            return
        await self.send_signal(signal.SIGKILL)
        try:
            await asyncio.wait_for(self._until(lambda: False), timeout=2)
        except TimeoutError:  # a keeper that was stopped
            if self.pid:
                kill_tree(self.pid)

    async def terminate(self, restart: bool = False) -> None:
        """Asks the kernel to end."""
        await self.send_signal(signal.SIGTERM)

    async def cleanup(self, restart: bool = False) -> None:
        """Removes the private folder."""
        if self._runtime is None:
            await super().cleanup(restart=restart)
            return
        self._let_go()
        if not restart:
            runtime.remove(self._runtime)
            self._runtime = None

    def __del__(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._runtime is not None:
            runtime.remove(self._runtime)


async def _readable(sock: socket.socket) -> None:
    """Waits until there is something to read. Several may wait for the same socket."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    fd = os.dup(sock.fileno())  # a loop has one reader a descriptor
    try:
        loop.add_reader(fd, done.cancel)
        await asyncio.wait([done])
    finally:
        loop.remove_reader(fd)
        os.close(fd)
