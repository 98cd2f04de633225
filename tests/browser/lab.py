"""A small course, and JupyterLab on it, for the browser tests and the pictures."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright

from graders.grading.course import Course

ROOT = Path(__file__).parents[2]
ASSIGNMENT = "control-flow"
RELEASE = ROOT / "release" / ASSIGNMENT
COURSE_ID = "jax-control-flow"

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
    root, exchange, student = folder / "course", folder / "exchange", folder / "student"
    source = root / "source" / ASSIGNMENT
    for path in (source, exchange, student):
        path.mkdir(parents=True)
    exchange.chmod(0o777)
    for name in notebooks:
        shutil.copy(ROOT / "source" / ASSIGNMENT / f"{name}.ipynb", source)
    shutil.copytree(RELEASE, student / "practice")
    where = f"\nc.Exchange.root = {str(exchange)!r}\n"
    config = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    (root / "nbgrader_config.py").write_text(
        f"{config}{where}c.CourseDirectory.root = {str(root)!r}\n", encoding="utf-8"
    )
    (student / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.course_id = {COURSE_ID!r}{where}", encoding="utf-8"
    )
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
    overrides = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
    settings = scratch / "config" / "labconfig"
    settings.mkdir(parents=True)
    (settings / "default_setting_overrides.json").write_text(json.dumps(overrides))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    environment = {
        **os.environ,
        "HOME": str(scratch),
        "IPYTHONDIR": str(scratch / "ipython"),
        "JUPYTER_CONFIG_DIR": str(scratch / "config"),
        "JUPYTER_DATA_DIR": str(scratch / "data"),
        "JUPYTER_RUNTIME_DIR": str(scratch / "runtime"),
        "JUPYTER_TOKEN": token,
    }
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}",
        "--ServerApp.port_retries=0", "--allow-root", "--LabApp.check_for_updates_class="
        "jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    log = scratch / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(f"{url}/api?token={token}", server, log)
        yield f"{url}/{{path}}?token={token}"
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=10):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-3000:]}")
