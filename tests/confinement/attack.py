"""Has kernels attack their surroundings and prints what became of that as JSON.

The argument is a JSON object: {"warm": bool, "confine": mode or "stock"}, and to do without them
"namespaces": false or "bubblewrap": false. This is a process of its own, because it may be run as
another user.
"""

import asyncio
import dataclasses
import json
import os
import sys
import tempfile
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager

from graders.doctor import trial
from graders.kernels import bubble, confine, launcher
from graders.kernels.manager import kernel_manager


def main(wanted):
    if not wanted.get("bubblewrap", True):
        bubble.bubblewrap = lambda: None
    if not wanted.get("namespaces", True):
        report = dataclasses.replace(confine.available(), namespaces=False, reason="a test")
        confine.available = lambda: report

    def make(folder, limits, readonly):
        if wanted["confine"] == "stock":
            return AsyncKernelManager(
                kernel_name="python3", transport="ipc", connection_file=f"{folder}.json"
            )
        return kernel_manager(
            folder, warm=wanted["warm"], confine=wanted["confine"], limits=limits, readonly=readonly
        )

    with tempfile.TemporaryDirectory() as name:
        os.environ["JUPYTER_RUNTIME_DIR"] = os.environ["IPYTHONDIR"] = str(Path(name, "jupyter"))
        outcome = asyncio.run(trial.attack(make))
    launcher.stop_warm_parents()
    return {**dataclasses.asdict(outcome), "user": os.getuid()}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
