"""Attacks, run inside a kernel. Each returns if it succeeded and raises if it was refused."""

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
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)


def _check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _expect(condition, what="nothing to see"):
    if not condition:
        raise PermissionError(what)


def attacks(at):
    """The attacks by name.

    Args:
        at: Where the targets are, as `attack.py` made them.
    """
    course, me = Path(at["course"]), os.getpid()

    def write(path):
        Path(path).write_text("I was here")

    def connect(family, kind, address):
        with socket.socket(family, kind) as sock:
            sock.settimeout(5)
            sock.connect(address)
            sock.send(b"hello")

    def listen():
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=5).close()

    def trace():
        victim = at["victim"]
        _check(libc.ptrace(16, victim, 0, 0))  # PTRACE_ATTACH
        os.waitpid(victim, 0)
        _check(libc.ptrace(17, victim, 0, 0))  # PTRACE_DETACH

    def open_many():
        files = []
        try:
            for _ in range(at["open_files"] + 20):
                files.append(open(os.devnull))  # noqa: SIM115
        finally:
            for file in files:
                file.close()

    def fork_many():
        children = []
        try:
            for _ in range(at["processes"] + 20):
                child = os.fork()
                if child == 0:
                    signal.pause()
                    os._exit(0)
                children.append(child)
            time.sleep(1.5)  # without namespaces they are only counted twice a second
        finally:
            for child in children:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)

    def write_much():
        path = Path("large")
        try:
            path.write_bytes(bytes(at["file_size"] + 1))
        finally:
            path.unlink(missing_ok=True)

    def user_namespace():
        child = os.fork()
        if child == 0:
            os._exit(1 if libc.unshare(0x10000000) else 0)
        _expect(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0)

    def shared_memory():
        segment = _check(libc.shmget(at["key"], 4096, 0o1600))
        _check(libc.shmctl(segment, 0, None))

    def memory_file():
        os.close(os.memfd_create("hidden"))

    def processes():
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != me:
                words = Path("/proc", name, "cmdline").read_bytes()
                if b"in-cmdline" in words:
                    return
        _expect(False)

    def left(path):
        Path(path, at["mark"]).write_text("from the last kernel")

    def tidy(path):
        Path(path, at["mark"]).unlink()

    def gain():
        status = Path("/proc/self/status").read_text()
        _expect("NoNewPrivs:\t0" in status)

    def capped(what):
        _expect(not 0 <= resource.getrlimit(what)[1] < 1 << 30)

    def end_caller():
        os.kill(at["owner"], 0)

    return {
        "read the gradebook": lambda: (course / "gradebook.db").read_bytes(),
        "find the gradebook": lambda: _expect((course / "gradebook.db").exists()),
        "change the gradebook": lambda: write(course / "gradebook.db"),
        "list the course": lambda: os.listdir(course),
        "read the source": lambda: (course / "source" / "solutions.ipynb").read_text(),
        "read another's submission": lambda: (course / "submitted" / "b.ipynb").read_text(),
        "read the home folder": lambda: Path(at["home"], "secret").read_text(),
        "list another kernel's folder": lambda: os.listdir(at["neighbour"]),
        "write into another kernel's folder": lambda: write(Path(at["neighbour"], "x")),
        "another kernel's connection file": lambda: Path(at["neighbour_connection"]).read_text(),
        "write a file outside": lambda: write(course / "planted"),
        "write into the Python environment": lambda: write(Path(sys.prefix, at["mark"])),
        "read a process' environment": lambda: Path(f"/proc/{at['victim']}/environ").read_bytes(),
        "find a process": processes,
        "TCP": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", at["tcp"])),
        "UDP": lambda: connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", at["udp"])),
        "its own TCP server": listen,
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
        "a huge file": write_much,
        "open files without end": open_many,
        "processor time without end": lambda: capped(resource.RLIMIT_CPU),
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


def leave(at):
    """What a kernel may leave behind, in places that it can write."""
    for folder in ("/tmp", "/dev/shm"):
        try:
            Path(folder, at["mark"]).write_text("from the last kernel")
        except OSError:
            pass
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            Path("daemon").touch()
            time.sleep(600)
        os._exit(0)


def run(at):
    """Prints what became of each attack: null if it succeeded, else the error's name."""
    for name, attack in attacks(at).items():
        try:
            attack()
            error = None
        except Exception as refused:
            error = type(refused).__name__
        print("<<<" + json.dumps([name, error]), flush=True)


def legitimate(at):
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
