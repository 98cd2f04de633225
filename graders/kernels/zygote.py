"""The warm parent: a process with everything imported, from which kernels are forked.

Started by `graders.kernels.launcher` as `python -m graders.kernels.zygote FD`. Each message on the
socket is a `Request` with one more socket beside it, on which the new kernel's keeper answers. The
warm parent ends when its socket is closed, and so does not outlive the process that started it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import shutil
import signal
import socket
import sys
import tempfile

from graders.kernels import application, keeper, preloads, system


def preload() -> None:
    """Imports what kernels need.

    Raises:
        RuntimeError: Something started a thread: a fork would then not be safe.
    """
    application.load()
    for name in preloads.student_side():
        _import(name)
    for name in _rehearse():
        _import(name)
    _find_plugins()
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"the warm parent has {threads} threads; it can only fork with one")
    gc.collect()
    gc.freeze()  # collections in the kernels would otherwise copy every page


def _import(name: str) -> None:
    with contextlib.suppress(ImportError):  # a kernel that needs it will say so
        importlib.import_module(name)


def _find_plugins() -> None:
    """Has JAX look for its plugins in all installed packages, as each kernel would (30 ms)."""
    with contextlib.suppress(Exception):  # there is no JAX, or no topology, which nobody needs
        from jax.experimental import topologies

        topologies.get_topology_desc(platform="cpu")


_FIRST_CELL = """
import jax, jax.numpy
jax.block_until_ready(jax.jit(lambda x: jax.numpy.sum(x * 2.0))(jax.numpy.ones(3)))
print("ready")
"""


def _rehearse() -> list[str]:
    """Names of the modules that a kernel imports on its way to the first result.

    Found by running one in a child, because which they are depends on the versions installed, and
    because doing it here would start threads.
    """
    folder = tempfile.mkdtemp(prefix="gk-")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            before = set(sys.modules)
            os.environ["IPYTHONDIR"] = folder
            connection = os.path.join(folder, "c.json")
            with open(connection, "w") as file:
                json.dump({"transport": "ipc", "ip": os.path.join(folder, "k")}, file)
            app = application.build(connection)
            app.shell.run_cell(_FIRST_CELL)
            names = sorted(set(sys.modules) - before - {"__main__"})
            with os.fdopen(write, "w") as file:
                json.dump(names, file)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(child, 0)
    shutil.rmtree(folder, ignore_errors=True)
    return json.loads(text) if text else []


def serve(requests: socket.socket) -> None:
    """Forks a keeper with its kernel for each request until the socket is closed."""
    system.adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers report to others; just reap them
    while True:
        message, fds, _, _ = socket.recv_fds(requests, keeper.MESSAGE_SIZE, 1)
        if not message:
            return
        if os.fork() == 0:
            requests.close()
            request = keeper.Request.from_json(message)
            with request.open_log() as log:
                keeper.keep(request, socket.socket(fileno=fds[0]), log.fileno())
        os.close(fds[0])


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _requests = socket.socket(fileno=int(sys.argv[1]))
    preload()
    serve(_requests)
