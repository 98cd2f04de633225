"""Starts a kernel that leaves a child, says so, and waits to be killed.

The argument is a JSON object with the keyword arguments of `kernel_manager`. The lines printed are
the number of a process that was forked from this one, and "ready".
"""

import asyncio
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

from graders.kernels.manager import kernel_manager

CHILD = "import subprocess; child = subprocess.Popen(['sleep', {!r}], start_new_session=True)"


async def main(mark, wanted):
    with tempfile.TemporaryDirectory() as folder:
        manager = kernel_manager(Path(folder), **wanted)
        await manager.start_kernel()
        client = manager.client()
        client.start_channels()
        await client.wait_for_ready(timeout=60)
        await client.execute_interactive(CHILD.format(mark), timeout=60)
        child = os.fork()  # as a pool of worker processes would
        if child == 0:
            signal.pause()
        print(child, "ready", flush=True)
        await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
