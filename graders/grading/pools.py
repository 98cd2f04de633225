"""Where tasks run: worker processes on this machine, or a cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from concurrent.futures import Executor, ProcessPoolExecutor

from graders.kernels import system


def local(jobs: int) -> Executor:
    """Worker processes on this machine.

    Args:
        jobs: how many.

    Returns:
        The executor. Its workers are forked from a small server process that has imported
        what they need, and share no file, socket or lock with this process.
    """
    if sys.platform.startswith("linux"):
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["graders.grading.batch"])
    else:
        context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker)


def _start_worker() -> None:
    """Leaves Ctrl-C to the driver, which ends its workers, and ends when the driver is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        # The server that forked this worker ends with the driver.
        system.die_with_parent(os.getppid())
