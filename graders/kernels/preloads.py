"""What processes from which others are forked import beforehand."""

from __future__ import annotations

import multiprocessing
import pkgutil
import sys
from multiprocessing.context import BaseContext

import graders

_LIBRARIES = ("numpy", "jax", "jax.numpy")
_WORKER = "graders.grading.batch"


def student_side() -> list[str]:
    """Names of the modules that student code and its kernel import, as far as they are installed.

    Among them are the exercises, which notebooks import for their own checks, and what these are
    made of. The grader's trusted side imports them as well.
    """
    modules = pkgutil.iter_modules(graders.__path__, "graders.")
    names = (module.name for module in modules if not module.ispkg)
    return [*_LIBRARIES, *(name for name in names if not name.endswith("__main__"))]


def worker_context() -> BaseContext:
    """How worker processes start: forked from a small server that has imported what they need."""
    if not sys.platform.startswith("linux"):
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([_WORKER, *student_side()])
    return context


def start_fork_server() -> None:
    """Has that server get ready while this process works on; does nothing if it runs."""
    if worker_context().get_start_method() == "forkserver":
        from multiprocessing import forkserver  # not to be had everywhere

        forkserver.ensure_running()
