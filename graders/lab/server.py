"""How JupyterLab is started: on the loopback interface, with settings and files of its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def environment(home: Path) -> dict[str, str]:
    """This process's environment with a home folder of its own, in which Jupyter keeps all.

    Args:
        home: the folder; made if it is not there, with JupyterLab's question about news answered.
    """
    settings = home / "config" / "labconfig" / "default_setting_overrides.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    news = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
    settings.write_text(json.dumps(news), encoding="utf-8")
    own = {
        "HOME": "", "IPYTHONDIR": "ipython", "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime", "MPLCONFIGDIR": "matplotlib",
        "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data",
    }  # fmt: skip
    return {**os.environ, **{name: str(home / folder) for name, folder in own.items()}}


def command(port: int | None = None, *, browser: bool = True) -> list[str]:
    """The command that starts JupyterLab in the present folder.

    Args:
        port: this one and no other; JupyterLab takes a free one if `None`.
        browser: whether it opens a browser.
    """
    made = [
        sys.executable, "-m", "jupyterlab", "--ip=127.0.0.1", "--log-level=WARN",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    if not browser:
        made.append("--no-browser")
    if port is not None:
        made += [f"--port={port}", "--ServerApp.port_retries=0"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        made.append("--allow-root")
    return made
