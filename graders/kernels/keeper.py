"""The small process beside each kernel: starts it, watches it, ends it as a whole.

A keeper is the kernel's parent. It is forked from the warm parent, or is a fresh Python process
where that is not to be had (`python -m graders.kernels.keeper FD`). It talks with the process that
wants the kernel over one socket, in JSON messages:

* it is sent the `Request`, later `{"signal": number}`;
* it sends `{"pid": …}`, `{"ready": true}`, and at the end `{"exit": {…}}` or `{"error": text}`.

The socket closed means that nobody wants the kernel any more: the keeper ends everything.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import tempfile
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from graders.kernels import system
from graders.kernels.cage import Confinement
from graders.kernels.family import Ending, Family
from graders.kernels.limits import Limits

_TICK = 0.05
"""Seconds between two looks at the memory; 50 ms is about 100 MB of touched pages."""

MESSAGE_SIZE = 1 << 17


@dataclass(frozen=True)
class Request:
    """A kernel that somebody wants.

    Attributes:
        connection_file: File that jupyter_client wrote, in `runtime`.
        folder: The kernel's working folder.
        runtime: Private folder for sockets, temporary files, the log and the home folder.
        environment: All of the kernel's environment variables.
        limits: Caps for the kernel.
        confinement: What the kernel may see, or None for everything.
    """

    connection_file: str
    folder: str
    runtime: str
    environment: dict[str, str]
    limits: Limits = field(default_factory=Limits)
    confinement: Confinement | None = None

    def to_json(self) -> bytes:
        """This request as JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Request:
        """The request that `to_json` wrote."""
        data = json.loads(text)
        data["limits"] = Limits(**data["limits"])
        if data["confinement"] is not None:
            data["confinement"] = Confinement(**data["confinement"])
        return cls(**data)

    @property
    def log(self) -> Path:
        """Where the kernel's own standard error goes (what IPython does not capture)."""
        return Path(self.runtime, "kernel.log")

    def open_log(self) -> BinaryIO:
        """Starts the log anew."""
        return self.log.open("wb")


def keep(request: Request, control: socket.socket, log: int) -> None:
    """Runs one kernel to its end. Never returns.

    Args:
        request: The kernel wanted.
        control: Socket to the process that wants it.
        log: Open file for what the kernel writes to standard error past IPython.
    """
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.setsid()
        _be_first_to_go()  # now, while /proc can be written
        confinement = request.confinement
        if confinement is not None and confinement.namespaces:
            confinement.leave()
            keeper = os.fork()  # the first process of the new PID namespace
            if keeper != 0:
                _send(control, {"pid": keeper})
                os._exit(0)
            os.setsid()
            confinement.enter_root()
        else:
            _send(control, {"pid": os.getpid()})
        system.adopt_orphans()
        system.set_traceable(False)
        ready, ready_in_kernel = os.pipe()
        me = os.getpid()
        kernel = os.fork()
        if kernel == 0:
            os.close(ready)
            control.close()
            _become_kernel(request, me, ready_in_kernel, log)
        os.close(ready_in_kernel)
        _send(control, {"exit": _watch(control, kernel, ready, request)})
    except BaseException:
        _send(control, {"error": traceback.format_exc(limit=-3)})
    finally:
        os._exit(0)


def _be_first_to_go() -> None:
    """If the machine runs out of memory, Linux ends the kernel and not its neighbours."""
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("500")


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # nobody wants to know; the next look at the socket says so
        control.send(json.dumps(message).encode())


def _become_kernel(request: Request, keeper: int, ready: int, log: int) -> None:
    """Turns this process into the kernel. Never returns."""
    status = 1
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDONLY)
        for target, source in ((0, null), (1, log), (2, log)):
            os.dup2(source, target)
        os.chdir(request.folder)
        os.environ.update(request.environment)
        os.environ.pop("PWD", None)  # bubblewrap's; says where this package is
        tempfile.tempdir = None
        signal.signal(signal.SIGINT, signal.default_int_handler)
        confinement = request.confinement
        alone = confinement is not None and (
            confinement.own_processes or confinement.user is not None
        )
        request.limits.apply(0 if alone else _processes_of_user())
        if confinement is not None:
            confinement.give_up()
        system.set_traceable(True)  # or its keeper could not see how much memory it shares
        system.die_with_parent(keeper)
        from graders.kernels import application

        _reseed()
        application.run(request.connection_file, lambda: _tell(ready))
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 1
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(status)


def _tell(ready: int) -> None:
    os.write(ready, b"ready")
    os.close(ready)


def _reseed() -> None:
    """Gives a forked kernel randomness of its own, as a fresh process would have."""
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def _processes_of_user() -> int:
    """Processes and threads that count against the same user's cap already."""
    import psutil

    me, total = os.getuid(), 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        if process.info["uids"] and process.info["uids"].real == me:
            total += process.info["num_threads"] or 1
    return total


def _watch(control: socket.socket, kernel: int, ready: int, request: Request) -> dict[str, Any]:
    """Waits until the kernel ends or is not wanted; ends everything and says how it was."""
    ended = os.pidfd_open(kernel)
    family = Family(kernel, alone=os.getpid() == 1)
    poll = select.poll()
    for fd in (control.fileno(), ended, ready):
        poll.register(fd, select.POLLIN)
    wanted, out_of_memory, peak = True, False, 0
    status: Ending | None = None
    while wanted and status is None:
        events = dict(poll.poll(_TICK * 1000))
        if ready in events:
            poll.unregister(ready)
            if os.read(ready, 16):
                _send(control, {"ready": True})
        if control.fileno() in events:
            message = control.recv(MESSAGE_SIZE)
            wanted = bool(message)
            if message:
                _signal(kernel, json.loads(message)["signal"])
        if ended in events:
            _, code, usage = os.wait4(kernel, 0)
            status = (code, usage)
        else:
            used = family.memory(request.limits.memory)
            peak = max(peak, used)
            if used > request.limits.memory:
                out_of_memory, wanted = True, False
            if family.size > request.limits.processes:  # root's processes have no other cap
                wanted = False
    late = family.end()
    code, usage = status or late
    return {
        "code": os.waitstatus_to_exitcode(code),
        "out_of_memory": out_of_memory,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_memory": peak,
    }


def _signal(kernel: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(kernel, number)


def main() -> None:
    """Runs a cold kernel: the request comes over the socket whose number is the argument."""
    control = socket.socket(fileno=int(sys.argv[1]))
    message = control.recv(MESSAGE_SIZE)
    if message:
        keep(Request.from_json(message), control, os.dup(2))


if __name__ == "__main__":
    main()
