"""Attacks on what is around a kernel, by a kernel: on made-up targets, and on a course's own.

The attacks are in `probes`, whose text is sent to the kernel, since it must not need this package.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.kernels.limits import MIB, Limits

LIMITS = Limits(processes=60, file_size=MIB, open_files=200)
"""Tight ones, so that it takes little to run into them."""

EXHAUSTED = Limits(memory=512 * MIB, cpu_seconds=2)
"""For the kernel that uses up memory and processor time."""

NEED_NAMESPACES = frozenset({"find the gradebook"})
"""What only namespaces refuse: Landlock hides what is in files, not that they are there."""

_PROBES = Path(__file__).with_name("probes.py")

Make = Callable[[Path, Limits, Sequence[Path]], Any]
"""Makes a kernel manager for a folder, with limits and further folders to read."""

Do = Callable[[str], Awaitable[tuple[bool, list[Any]]]]
"""Has a kernel do something from the probes: whether it is still there, and what it printed."""


@dataclass(frozen=True)
class Outcome:
    """What became of the attacks.

    Attributes:
        refused: for each attack the name of the error that refused it; None where it succeeded.
        wrong: what a kernel has to be able to do and could not, with the reason.
        started: how the kernel was started: "warm", "cold" or "plain".
        addresses: how many internet sockets the attacking kernel had when it began.
        transport: how the kernel is spoken to: "ipc" or "tcp".
    """

    refused: dict[str, str | None]
    wrong: list[str]
    started: str
    addresses: int
    transport: str

    @property
    def succeeded(self) -> list[str]:
        """The attacks that were not refused."""
        return [name for name, error in self.refused.items() if error is None]


async def attack(make: Make, real: Mapping[str, str] | None = None) -> Outcome:
    """Has kernels attack.

    Args:
        make: makes their managers.
        real: targets to take instead of made-up ones; they are only read: `course`, `gradebook`,
            `source` and `submission` (files), `home`.

    Returns:
        What became of it.
    """
    with tempfile.TemporaryDirectory(prefix="trial-") as name, _targets(Path(name)) as at:
        at.update(real or {})
        top = Path(name).resolve()
        folders = [top / "kernels" / str(number) for number in range(4)]
        for folder in folders:
            folder.mkdir(parents=True)
        readonly = [top / "cache"]
        async with _kernel(make, folders[0], LIMITS) as (_, do):
            await do(f"leave({at!r})")
        daemon = _end_daemon(folders[0])
        async with _kernel(make, folders[1], LIMITS) as (neighbour, _):
            at["neighbour"] = str(folders[1])
            at["neighbour_connection"] = neighbour.connection_file
            async with _kernel(make, folders[2], LIMITS, readonly) as (manager, do):
                at["private"] = str(Path(manager.connection_file).parent)
                started = getattr(manager.provisioner, "started", "plain")
                addresses = _addresses(manager.provisioner.pid)
                wrong = (await do(f"legitimate({at!r})"))[1]
                alive, outcome = await do(f"run({at!r})")
        refused = dict(outcome)
        if not alive:
            refused["fork without end"] = "Killed"
        refused["leave a daemon"] = None if daemon else "Killed"
        async with _kernel(make, folders[3], EXHAUSTED) as (_, do):
            alive, outcome = await do(f"exhaust({at!r})")
        refused |= dict(outcome)
        if not alive:
            refused["memory without end"] = "Killed"
    return Outcome(refused, wrong, started, addresses, manager.transport)


@contextlib.asynccontextmanager
async def _kernel(
    make: Make, folder: Path, limits: Limits, readonly: Sequence[Path] = ()
) -> AsyncIterator[tuple[Any, Do]]:
    """A running kernel."""
    manager = make(folder, limits, readonly)
    await manager.start_kernel(cwd=str(folder))
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)

        async def do(call: str) -> tuple[bool, list[Any]]:
            printed = []

            def hook(message: Mapping[str, Any]) -> None:
                content = message["content"]
                printed.append(content.get("text") or "\n".join(content.get("traceback", ())))

            code = f"{_PROBES.read_text(encoding='utf-8')}\n{call}"
            tasks: list[asyncio.Future[Any]] = [
                asyncio.ensure_future(waiting)
                for waiting in (
                    client.execute_interactive(code, timeout=60, output_hook=hook),
                    manager.provisioner.wait(),
                )
            ]
            done, late = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in late:
                task.cancel()
            alive = tasks[0] in done
            if alive and tasks[0].result()["content"]["status"] != "ok":
                raise RuntimeError("".join(printed))
            lines = [line[3:] for line in "".join(printed).splitlines() if line[:3] == "<<<"]
            return alive, [json.loads(line) for line in lines]

        yield manager, do
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


@contextlib.contextmanager
def _targets(top: Path) -> Iterator[dict[str, Any]]:
    """A course, a home folder and servers to attack; yields where they are."""
    top = top.resolve()
    course, home = top / "course", top / "home"
    for folder in (course / "source", course / "submitted", home, top / "cache"):
        folder.mkdir(parents=True)
    (course / "gradebook.db").write_text("marks")
    (course / "source" / "solutions.ipynb").write_text("solutions")
    (course / "submitted" / "b.ipynb").write_text("another's")
    (home / "secret").write_text("secret")
    (top / "cache" / "entry").write_text("compiled")
    (top / "cache").chmod(0o755)
    mark = "mark-" + secrets.token_hex(8)
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        for address in (str(top / "unix"), "\0" + mark):
            sock = stack.enter_context(socket.socket(socket.AF_UNIX))
            sock.bind(address)
            sock.listen()
        datagram = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        datagram.bind(str(top / "datagram"))
        words = [sys.executable, "-c", "import time; time.sleep(600)", "secret-in-cmdline"]
        victim = stack.enter_context(subprocess.Popen(words))
        stack.callback(victim.kill)
        os.environ["SECRET_TOKEN"] = "secret"
        stack.callback(os.environ.pop, "SECRET_TOKEN")
        try:
            yield {
                "scratch": str(course),
                "course": str(course),
                "gradebook": str(course / "gradebook.db"),
                "source": str(course / "source" / "solutions.ipynb"),
                "submission": str(course / "submitted" / "b.ipynb"),
                "home": str(home),
                "readonly": str(top / "cache"),
                "mark": mark,
                "key": secrets.randbelow(1 << 30) + 1,
                "victim": victim.pid,
                "owner": os.getpid(),
                "tcp": tcp.getsockname()[1],
                "udp": udp.getsockname()[1],
                "unix": str(top / "unix"),
                "abstract": mark,
                "datagram": str(top / "datagram"),
                "processes": LIMITS.processes,
                "file_size": LIMITS.file_size,
                "open_files": LIMITS.open_files,
                "cpu_seconds": EXHAUSTED.cpu_seconds,
                "memory": EXHAUSTED.memory,
            }
        finally:
            for place in ("/tmp", "/dev/shm", sys.prefix):
                with contextlib.suppress(OSError):
                    Path(place, mark).unlink()


def _end_daemon(folder: Path) -> bool:
    """Ends the process that the probes left in the folder; whether there was one."""
    found = False
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and os.readlink(f"/proc/{name}/cwd") == str(folder):
                os.kill(int(name), signal.SIGKILL)
                found = True
    return found


def _addresses(process: int) -> int:
    """Internet sockets of a process and its children."""
    import psutil

    found = 0
    with contextlib.suppress(psutil.Error):
        top = psutil.Process(process)
        for member in (top, *top.children(recursive=True)):
            found += len(member.net_connections("inet"))
    return found
