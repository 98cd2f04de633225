"""Where tasks run: worker processes on this machine, or a cluster."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor, ProcessPoolExecutor

from graders.grading.course import CourseError
from graders.grading.judge import Settings
from graders.kernels import launcher, preloads
from graders.kernels.provisioner import shared_environment


def prepare(settings: Settings) -> None:
    """Starts what local workers need, so that it gets ready while this process works on.

    Args:
        settings: how kernels will be started. All workers take theirs from one warm parent.
    """
    preloads.start_fork_server()
    if settings.warm and launcher.can_fork():
        launcher.warm_parent(shared_environment(settings.environment))


def local(jobs: int) -> Executor:
    """Worker processes on this machine.

    Args:
        jobs: how many.

    Returns:
        The executor. Its workers are forked from a small server process that has imported
        what they need. They share no file or lock with this process, and no socket but those
        of its warm parents (see `prepare`).
    """
    return ProcessPoolExecutor(
        jobs,
        mp_context=preloads.worker_context(),
        initializer=_start_worker,
        initargs=(launcher.shared(),),
    )


def _start_worker(parents: launcher.Shared) -> None:
    """Leaves Ctrl-C to the driver, which ends its workers, and ends when the driver is killed."""
    gc.freeze()  # what was imported stays, so that no collection has to look at it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    launcher.adopt(parents)
    threading.Thread(target=_end_with_driver, daemon=True).start()


def _end_with_driver() -> None:
    driver = multiprocessing.parent_process()
    assert driver is not None
    driver.join()
    os._exit(1)


def cluster(address: str) -> Executor:
    """The workers of a running Dask cluster.

    Args:
        address: the scheduler's address, for example `tcp://10.0.0.5:8786`. Its workers need
            the same version of this package and one thread each (`dask worker --nthreads 1`),
            since a kernel is driven by one thread and what a test prints is collected by
            process.

    Returns:
        The executor. A worker that is lost costs its notebook another try, elsewhere.

    Raises:
        CourseError: if Dask is not installed or there is no scheduler.
    """
    try:
        from distributed import Client
    except ImportError:
        raise CourseError(
            "--cluster needs Dask; install it with: pip install 'graders[cluster]'."
        ) from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise CourseError(f"There is no Dask scheduler at {address} ({error}).") from None
    threads = set(client.nthreads().values())
    if not threads:
        client.close()
        raise CourseError(f"The cluster at {address} has no workers; start some and try again.")
    if threads != {1}:
        client.close()
        raise CourseError(
            f"The workers at {address} have more than one thread each; start them with "
            "dask worker --nthreads 1."
        )
    return client.get_executor(pure=False)


def width(executor: Executor) -> int:
    """How many tasks an executor runs at a time."""
    workers = getattr(executor, "_max_workers", None)
    if workers is None:
        workers = len(executor._client.nthreads())  # type: ignore[attr-defined]
    return int(workers)
