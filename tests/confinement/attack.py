"""Starts a kernel, has it attack its surroundings, and prints what became of that as JSON.

The argument is a JSON object: {"warm": bool, "confine": mode or "stock"}, and to do without them
"namespaces": false or "bubblewrap": false. This is a process of its own, because it may be run as
another user and with secrets in its environment.
"""

import asyncio
import contextlib
import dataclasses
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager

from graders.kernels import bubble, confine, launcher
from graders.kernels.manager import Limits, kernel_manager

TIGHT = Limits(processes=60, file_size=1 << 20, open_files=200)
PROBES = Path(__file__).with_name("probes.py")


def manager_for(folder, wanted, readonly):
    """A manager of a grading kernel, or of an ordinary one with `confine` "stock"."""
    if wanted["confine"] == "stock":
        return AsyncKernelManager(
            kernel_name="python3", transport="ipc", connection_file=f"{folder}.json"
        )
    return kernel_manager(
        folder, warm=wanted["warm"], confine=wanted["confine"], limits=TIGHT, readonly=readonly
    )


@contextlib.asynccontextmanager
async def kernel(folder, wanted, readonly=()):
    """A running kernel, and a function that has it do something from the probes."""
    manager = manager_for(folder, wanted, readonly)
    await manager.start_kernel(cwd=str(folder))
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)

        async def do(call):
            printed = []

            def hook(message):
                content = message["content"]
                printed.append(content.get("text") or "\n".join(content.get("traceback", ())))

            code = f"{PROBES.read_text()}\n{call}"
            tasks = [
                asyncio.ensure_future(coroutine)
                for coroutine in (
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


def make_targets(top):
    """A course, a home folder and servers to attack, and the object that says where they are."""
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
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    unix = [socket.socket(socket.AF_UNIX) for _ in range(2)]
    for sock, address in zip(unix, (str(top / "unix"), "\0" + mark), strict=True):
        sock.bind(address)
        sock.listen()
    datagram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    datagram.bind(str(top / "datagram"))
    victim = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(600)", "secret-in-cmdline"]
    )
    at = {
        "course": str(course),
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
        "processes": TIGHT.processes,
        "file_size": TIGHT.file_size,
        "open_files": TIGHT.open_files,
    }
    return at, victim, (tcp, udp, *unix, datagram)


def end_daemon(folder):
    """Ends the process that the probes left in the folder; whether there was one."""
    found = False
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and os.readlink(f"/proc/{name}/cwd") == str(folder):
                os.kill(int(name), signal.SIGKILL)
                found = True
    return found


async def main(wanted):
    if not wanted.get("bubblewrap", True):
        bubble.bubblewrap = lambda: None
    if not wanted.get("namespaces", True):
        report = dataclasses.replace(confine.available(), namespaces=False, reason="a test")
        confine.available = lambda: report
    with tempfile.TemporaryDirectory() as name:
        top = Path(name).resolve()
        os.environ["JUPYTER_RUNTIME_DIR"] = os.environ["IPYTHONDIR"] = str(top / "jupyter")
        at, victim, sockets = make_targets(top)
        folders = [top / "kernels" / str(number) for number in range(3)]
        for folder in folders:
            folder.mkdir(parents=True)
        try:
            async with kernel(folders[0], wanted) as (_, do):
                await do(f"leave({at!r})")
            daemon = end_daemon(folders[0])
            async with kernel(folders[1], wanted) as (neighbour, _):
                at["neighbour"] = str(folders[1])
                at["neighbour_connection"] = neighbour.connection_file
                async with kernel(folders[2], wanted, [top / "cache"]) as (manager, do):
                    at["private"] = str(Path(manager.connection_file).parent)
                    wrong = (await do(f"legitimate({at!r})"))[1]
                    alive, outcome = await do(f"run({at!r})")
                    started = getattr(manager.provisioner, "started", "stock")
        finally:
            victim.kill()
            victim.wait()
            for sock in sockets:
                sock.close()
            for folder in ("/tmp", "/dev/shm", sys.prefix):
                with contextlib.suppress(OSError):
                    Path(folder, at["mark"]).unlink()
    launcher.stop_warm_parents()
    outcome = dict(outcome)
    outcome["leave a daemon"] = None if daemon else "Killed"
    if not alive:
        outcome["fork without end"] = "Killed"
    return {"outcome": outcome, "wrong": wrong, "started": started, "user": os.getuid()}


if __name__ == "__main__":
    os.environ["SECRET_TOKEN"] = "secret"
    print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
