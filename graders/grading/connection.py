"""One running kernel: starting it, having it execute code, ending it."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import zmq.asyncio
from jupyter_client.asynchronous.client import AsyncKernelClient

from graders import observe as seeing
from graders.grading.outputs import clean
from graders.kernels import runtime
from graders.kernels.limits import MIB
from graders.kernels.manager import exit_reason, kernel_manager

MAX_MESSAGE = 16 * MIB
"""Bytes of the largest part of a message that a kernel may send; the largest reply has half."""

START_SECONDS = 60
"""How long a kernel may take to answer for the first time."""

MAX_WAITING = 64
"""Messages of a kernel that may wait here to be read; while more come, it loses some."""


class Ended(Exception):
    """The kernel did not answer in time, or has ended.

    Attributes:
        status: `"timed-out"`, `"crashed"` or `"out-of-memory"`.
    """

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


Take = Callable[[str, dict[str, Any]], bool]
"""Gets a message's type and content; says whether it renews the time."""


class Connection:
    """A running kernel, in a folder of its own.

    Args:
        files: the folder's files by relative path.
        **options: see `graders.kernels.manager.kernel_manager`.
    """

    def __init__(self, files: Mapping[str, bytes], **options: Any) -> None:
        self._files = files
        self._options = options
        self._folder: Path | None = None
        self._context: Any = None
        self._manager: Any = None
        self._client: AsyncKernelClient | None = None

    async def open(self) -> None:
        """Starts the kernel.

        Raises:
            graders.kernels.manager.KernelStartError: if it does not start.
            RuntimeError: if it starts and does not answer.
        """
        self._folder = runtime.make()
        for name, content in self._files.items():
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self._context = zmq.asyncio.Context()
        self._context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE)
        self._context.setsockopt(zmq.RCVHWM, MAX_WAITING)
        self._manager = kernel_manager(self._folder, **self._options)
        self._manager.context = self._context
        await self._manager.start_kernel()
        self._client = self._manager.client(context=self._context)
        self._client.start_channels(stdin=False, hb=False)
        await self._wait_until_ready()

    async def _wait_until_ready(self) -> None:
        """As `wait_for_ready`, without its last 0.2 s: `execute` skips messages of no request."""
        assert self._client is not None
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self.alive:
            self._client.kernel_info()
            with contextlib.suppress(queue.Empty):
                await self._client.shell_channel.get_msg(timeout=1)
                # It publishes something as soon as it knows that somebody listens.
                await self._client.iopub_channel.get_msg(timeout=0.2)
                return
        raise RuntimeError("the kernel started and does not answer")

    @property
    def alive(self) -> bool:
        """Whether the kernel runs."""
        return self._manager is not None and exit_reason(self._manager) is None

    def abandon(self) -> None:
        """Ends a kernel that nobody has used, also where its event loop is gone."""
        if self._manager is not None:
            manager, self._manager = self._manager, None
            manager.provisioner.abandon()
        self._release()

    def _release(self) -> None:
        """Closes the sockets to the kernel and removes its folder."""
        if self._client is not None:
            self._client.stop_channels()
            self._client = None
        if self._context is not None:
            self._context.destroy(linger=0)
            self._context = None
        if self._folder is not None:
            runtime.remove(self._folder)
            self._folder = None

    async def close(self) -> None:
        """Ends the kernel, with everything that it started."""
        if self._manager is not None:
            manager, self._manager = self._manager, None
            await manager.shutdown_kernel(now=True)
        self._release()

    async def execute(
        self, code: str, take: Take, until: Callable[[], float], *, history: bool = True
    ) -> Mapping[str, Any]:
        """Has the kernel execute code.

        Args:
            code: the code.
            take: gets every message that it publishes meanwhile.
            until: when, on the monotonic clock, the time is up.
            history: whether the code goes into IPython's history.

        Returns:
            The content of the reply, written by the student's kernel.

        Raises:
            Ended: if the time is up or the kernel has ended.
        """
        assert self._client is not None
        deadline = until()
        request = self._client.execute(
            code,
            silent=not history,  # else it would come back in a message
            store_history=history,
            allow_stdin=False,
            stop_on_error=False,
        )
        death = asyncio.ensure_future(self._manager.provisioner.wait())
        idle = False
        try:
            while True:
                channel = self._client.shell_channel if idle else self._client.iopub_channel
                try:
                    frames = channel.socket.recv_multipart(zmq.NOBLOCK).result()
                except zmq.Again:
                    await self._wait(channel, death, deadline)
                    continue
                message = self._message(frames, request)
                if message is not None:
                    kind, content = message
                    if idle:
                        return content
                    if kind == "status":
                        idle = content.get("execution_state") == "idle"
                    elif take(kind, content):
                        deadline = until()
                # Here too: a kernel can send faster than its messages are read.
                if time.monotonic() >= deadline:
                    raise Ended(seeing.TIMED_OUT)
        finally:
            death.cancel()

    async def _wait(self, channel: Any, death: asyncio.Future[Any], deadline: float) -> None:
        """Waits until a channel has a message."""
        wait = deadline - time.monotonic()
        if wait <= 0:
            raise Ended(seeing.TIMED_OUT)
        ready = channel.socket.poll()
        await asyncio.wait({ready, death}, timeout=wait, return_when="FIRST_COMPLETED")
        if not ready.done():
            ready.cancel()
            raise self._gone() if death.done() else Ended(seeing.TIMED_OUT)

    def _message(self, frames: list[bytes], request: str) -> tuple[str, dict[str, Any]] | None:
        """A message's type and content, or `None` if it does not belong to the request.

        As `Session.deserialize`, without its dates, which nobody wants, and its signature, for
        which a student's code has the key.
        """
        assert self._client is not None
        session = self._client.session
        try:
            _, (_, header, parent, _, content, *_) = session.feed_identities(frames)
            if session.unpack(parent)["msg_id"] != request:
                return None
            return str(session.unpack(header)["msg_type"]), dict(clean(session.unpack(content)))
        except Exception:
            # A student's code can write anything to the kernel's sockets.
            return None

    async def settle(self, seconds: float) -> None:
        """Waits whether the kernel ends by itself.

        Raises:
            Ended: if it does.
        """
        death = asyncio.ensure_future(self._manager.provisioner.wait())
        done, _ = await asyncio.wait({death}, timeout=seconds)
        death.cancel()
        if done:
            raise self._gone()

    def _gone(self) -> Ended:
        reason = exit_reason(self._manager)
        too_much = reason is not None and reason.out_of_memory
        return Ended(seeing.OUT_OF_MEMORY if too_much else seeing.CRASHED)
