"""A small course, and JupyterLab on it, for the browser tests and the pictures."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright

from graders.grading.course import Course
from graders.lab import desks, server

ROOT = Path(__file__).parents[2]
ASSIGNMENT = "control-flow"
RELEASE = ROOT / "release" / ASSIGNMENT

CHROMIUM = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def launch(playwright: Playwright) -> Browser:
    """The system's Chromium.

    Raises:
        RuntimeError: if there is none; a browser test without a browser has failed.
    """
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise RuntimeError(
            "There is no chromium on PATH; install it (Debian: apt install chromium)."
        )
    return playwright.chromium.launch(executable_path=found, args=list(CHROMIUM))


def make_course(folder: Path, notebooks: Sequence[str]) -> Course:
    """A course with some of the repository's source notebooks, and an exchange.

    Args:
        folder: gets `course`, `exchange`, and `student`, a folder to work in as a student with
            this repository's release in `practice`.
        notebooks: the names of the notebooks to take.
    """
    root, student = folder / "course", folder / "student"
    source = root / "source" / ASSIGNMENT
    source.mkdir(parents=True)
    for name in notebooks:
        shutil.copy(ROOT / "source" / ASSIGNMENT / f"{name}.ipynb", source)
    shutil.copytree(RELEASE, student / "practice")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    desks.share(desks.Lab(folder))
    return Course(root)


@contextmanager
def serving(folder: Path, scratch: Path) -> Iterator[str]:
    """JupyterLab in a folder, on the loopback interface, as a process of its own.

    Args:
        folder: where it starts.
        scratch: a new folder for Jupyter's own settings and files.

    Yields:
        Its address, with `{path}` where the path goes.
    """
    with running(lambda port: server.command(port, browser=False), folder,
                 server.environment(scratch), scratch / "server.log") as address:  # fmt: skip
        yield address


@contextmanager
def running(
    command: Callable[[int], list[str]], folder: Path, environment: dict[str, str], log: Path
) -> Iterator[str]:
    """A process that serves JupyterLab, until it is left.

    Args:
        command: starts it, given the port.
        folder: where it is started.
        environment: its environment; gets a token.
        log: where what it prints goes.

    Yields:
        Its address, with `{path}` where the path goes.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command(port), cwd=folder, env={**environment, "JUPYTER_TOKEN": token},
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(f"{url}/api?token={token}", process, log)
        yield f"{url}/{{path}}?token={token}"
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=10):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-3000:]}")
