"""The IPython kernel as grading runs it: no debugger, no history on disk, no command line."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any


def load() -> None:
    """Imports what a kernel needs, without debugpy.

    The debugger is half of a kernel's start (75 ms) and nobody debugs while grading. ipykernel
    does without it when it cannot be imported.
    """
    blocked = "debugpy" not in sys.modules
    if blocked:
        sys.modules["debugpy"] = None  # type: ignore[assignment]
    try:
        import ipykernel.debugger
        import ipykernel.ipkernel
        import ipykernel.kernelapp
        import ipykernel.zmqshell  # noqa: F401
    finally:
        if blocked:
            del sys.modules["debugpy"]


def build(connection_file: str) -> Any:
    """A kernel application that is listening on the sockets of `connection_file`.

    Args:
        connection_file: Absolute path of the file that jupyter_client wrote.

    Returns:
        The application; its `start` runs the kernel until it is shut down.
    """
    load()
    from ipykernel import iostream, kernelapp

    def without_pipe(*args: Any, **kwargs: Any) -> Any:
        """The pipe brings what forked children print, over TCP, which kernels do without."""
        return iostream.IOPubThread(*args, **{**kwargs, "pipe": False})

    vars(kernelapp)["IOPubThread"] = without_pipe

    class GradingKernelApp(kernelapp.IPKernelApp):
        name = "ipython-kernel"

        def parse_command_line(self, argv: Any = None) -> None:
            """There is none; building the parser would take 10 ms."""

        def init_control(self, context: Any) -> None:
            """Does without subshells, whose thread takes half of the time of an execution."""
            super().init_control(context)
            self.shell_channel_thread = None

    sys.argv = ["ipykernel_launcher.py", "-f", connection_file]
    app = GradingKernelApp.instance(connection_file=connection_file)
    app.log_level = logging.CRITICAL
    app.config.HistoryManager.enabled = False
    app.config.Kernel._execute_sleep = 0  # whoever reads the reply waits for the output, too
    app.initialize([])
    shell: Any = app.shell
    shell.ask_exit = lambda: None  # a notebook's exit() would end it a moment later
    shell.is_graded = True  # nobody looks on: see graders.report
    return app


def run(connection_file: str, ready: Callable[[], None]) -> None:
    """Runs a kernel until it is shut down.

    Args:
        connection_file: Absolute path of the file that jupyter_client wrote.
        ready: Called once, when clients can connect.
    """
    app = build(connection_file)
    ready()
    app.start()
