"""Attacks, run inside a kernel. Each returns if it succeeded and raises if it was refused.

The text of this file is sent to the kernel, by `graders.doctor.trial`: it imports nothing of ours.
"""

import ctypes
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)

ENVIRONMENT = {
    *(
        "PATH",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "LD_LIBRARY_PATH",
        "HOME",
        "IPYTHONDIR",
        "TMPDIR",
    ),
    *("USER", "LOGNAME", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "JAX_PLATFORMS"),
    "PYTHONHASHSEED",
    # what IPython and JAX set by themselves
    *("TERM", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "PAGER", "GIT_PAGER", "MPLBACKEND"),
    *("TF_CPP_MIN_LOG_LEVEL", "TPU_SKIP_MDS_QUERY"),
}
"""All that there may be in a kernel's environment."""


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _expect(condition: object, what: str = "nothing to see") -> None:
    if not condition:
        raise PermissionError(what)


def attacks(at: Mapping[str, Any]) -> dict[str, Callable[[], object]]:
    """The attacks by name.

    Args:
        at: where the targets are, as `graders.doctor.trial` made them.
    """
    me = os.getpid()

    def write(path: str | Path) -> None:
        Path(path).write_text("I was here")

    def connect(family: int, kind: int, address: Any) -> None:
        with socket.socket(family, kind) as sock:
            sock.settimeout(5)
            sock.connect(address)
            sock.send(b"hello")

    def listen() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=5).close()

    def trace() -> None:
        victim = at["victim"]
        _check(libc.ptrace(16, victim, 0, 0))  # PTRACE_ATTACH
        os.waitpid(victim, 0)
        _check(libc.ptrace(17, victim, 0, 0))  # PTRACE_DETACH

    def open_many() -> None:
        files = []
        try:
            for _ in range(at["open_files"] + 20):
                files.append(open(os.devnull))  # noqa: SIM115
        finally:
            for file in files:
                file.close()

    def fork_many() -> None:
        children = []
        try:
            for _ in range(at["processes"] + 20):
                child = os.fork()
                if child == 0:
                    signal.pause()
                    os._exit(0)
                children.append(child)
            time.sleep(3)  # without namespaces they are only counted twice a second
        finally:
            for child in children:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)

    def write_much() -> None:
        path = Path("large")
        try:
            path.write_bytes(bytes(at["file_size"] + 1))
        finally:
            path.unlink(missing_ok=True)

    def user_namespace() -> None:
        child = os.fork()
        if child == 0:
            os._exit(1 if libc.unshare(0x10000000) else 0)
        _expect(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0)

    def shared_memory() -> None:
        segment = _check(libc.shmget(at["key"], 4096, 0o1600))
        _check(libc.shmctl(segment, 0, None))

    def memory_file() -> None:
        os.close(os.memfd_create("hidden"))

    def processes() -> None:
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != me:
                words = Path("/proc", name, "cmdline").read_bytes()
                if b"in-cmdline" in words:
                    return
        _expect(False)

    def gain() -> None:
        status = Path("/proc/self/status").read_text()
        _expect("NoNewPrivs:\t0" in status)

    def lift() -> None:
        child = os.fork()
        if child == 0:
            try:
                unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
                resource.setrlimit(resource.RLIMIT_CPU, unlimited)
                os._exit(0)
            finally:
                os._exit(1)
        _expect(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0)

    def end_caller() -> None:
        os.kill(at["owner"], 0)

    return {
        "read the gradebook": lambda: Path(at["gradebook"]).read_bytes(),
        "find the gradebook": lambda: _expect(Path(at["gradebook"]).exists()),
        "change a gradebook": lambda: write(Path(at["scratch"], "gradebook.db")),
        "list the course": lambda: os.listdir(at["course"]),
        "read the source": lambda: Path(at["source"]).read_bytes(),
        "read another's submission": lambda: Path(at["submission"]).read_bytes(),
        "list the home folder": lambda: os.listdir(at["home"]),
        "list another kernel's folder": lambda: os.listdir(at["neighbour"]),
        "write into another kernel's folder": lambda: write(Path(at["neighbour"], "x")),
        "another kernel's connection file": lambda: Path(at["neighbour_connection"]).read_text(),
        "write a file outside": lambda: write(Path(at["scratch"], "planted")),
        "write into the Python environment": lambda: write(Path(sys.prefix, at["mark"])),
        "read a process' environment": lambda: Path(f"/proc/{at['victim']}/environ").read_bytes(),
        "find a process": processes,
        "TCP": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", at["tcp"])),
        "UDP": lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", at["udp"])),
        "its own TCP server": listen,
        "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close(),
        "UNIX socket": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, at["unix"]),
        "abstract socket": lambda: connect(
            socket.AF_UNIX, socket.SOCK_STREAM, "\0" + at["abstract"]
        ),
        "datagram socket": lambda: connect(socket.AF_UNIX, socket.SOCK_DGRAM, at["datagram"]),
        "signal a process": lambda: os.kill(at["victim"], 0),
        "signal the grader": end_caller,
        "trace a process": trace,
        "plant a file where the grader reads": lambda: write(Path(at["private"], "kernel.log")),
        "secret in the environment": lambda: os.environ["SECRET_TOKEN"],
        "more in the environment": lambda: _expect(set(os.environ) - ENVIRONMENT),
        "a huge file": write_much,
        "open files without end": open_many,
        "lift the cap on processor time": lift,
        "a user namespace": user_namespace,
        "gain privileges": gain,
        "leave shared memory": shared_memory,
        "hide memory in a file": memory_file,
        "read what the last kernel left in /tmp": lambda: Path("/tmp", at["mark"]).read_text(),
        "read what the last kernel left in /dev/shm": lambda: Path(
            "/dev/shm", at["mark"]
        ).read_text(),
        "fork without end": fork_many,  # the last, because the kernel may be ended for it
    }


def leave(at: Mapping[str, Any]) -> None:
    """What a kernel may leave behind, in places that it can write."""
    for folder in ("/tmp", "/dev/shm"):
        try:
            Path(folder, at["mark"]).write_text("from the last kernel")
        except OSError:
            pass
    left, leaving = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(leaving, b"!")
            time.sleep(600)
        os._exit(0)
    os.close(leaving)
    os.read(left, 1)  # a kernel that ends sooner takes its process group along


def run(at: Mapping[str, Any]) -> None:
    """Prints what became of each attack: null if it succeeded, else the error's name."""
    for name, attack in attacks(at).items():
        try:
            attack()
            error = None
        except Exception as refused:
            error = type(refused).__name__
        print("<<<" + json.dumps([name, error]), flush=True)


def exhaust(at: Mapping[str, Any]) -> None:
    """Uses up processor time and then memory, for which the kernel itself may be ended."""
    child = os.fork()
    if child == 0:
        while time.process_time() < at["cpu_seconds"] + 1:
            pass
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    error = signal.Signals(-status).name if status else None
    print("<<<" + json.dumps(["processor time without end", error]), flush=True)
    kept: list[bytes] = []
    try:
        while 64 * len(kept) << 20 < at["memory"] + (256 << 20):
            kept.append(b"x" * (64 << 20))
        time.sleep(0.5)  # the keeper looks twenty times a second
        error = None
    except MemoryError:
        error = "MemoryError"
    print("<<<" + json.dumps(["memory without end", error]), flush=True)


def legitimate(at: Mapping[str, Any]) -> None:
    """Prints what went wrong of what a kernel has to be able to do."""
    for name, act in {
        "read and write its folder": lambda: (Path("own").write_text("x"), Path("own").read_text()),
        "temporary files": lambda: __import__("tempfile").TemporaryFile().close(),
        "read-only folder": lambda: _expect(os.listdir(at["readonly"])),
        "import lazily": lambda: __import__("sqlite3"),
        "start a program": lambda: subprocess.run([sys.executable, "-c", ""], check=True),
        "threads": lambda: threading.Thread(target=int).start(),
        "an event loop": lambda: __import__("asyncio").new_event_loop().close(),
        "NumPy": lambda: __import__("numpy").linalg.inv([[2.0]]),
        "space on disk": lambda: _expect(shutil.disk_usage(".").free),
    }.items():
        try:
            act()
        except Exception as error:
            print("<<<" + json.dumps(f"{name}: {error!r}"), flush=True)
