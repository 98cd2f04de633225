"""Kernels one after the other, the next of which is made ready while the present one works."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.util import Finalize
from typing import Any

from jupyter_core.utils import run_sync

from graders.grading.connection import Connection

END_SECONDS = 10
"""How long kernels may take to end when there is no more work."""


@dataclass(frozen=True)
class _Spare:
    """A kernel that nobody has used yet."""

    options: Mapping[str, Any]
    connection: Connection
    opening: asyncio.Task[None]

    def fits(self, options: Mapping[str, Any]) -> bool:
        """Whether it is what is wanted, and belongs to the running event loop."""
        mine = self.opening.get_loop() is asyncio.get_running_loop()
        return mine and self.options == options

    async def opened(self) -> Connection | None:
        """The kernel, if it started and still runs."""
        with contextlib.suppress(Exception):
            await self.opening
            if self.connection.alive:
                return self.connection
        return None

    def discard(self) -> None:
        """Ends it, or its start; what is still going on for it must not go on without it."""
        if not self.opening.get_loop().is_closed():
            self.opening.cancel()
        self.connection.abandon()


class Supply:
    """Hands out kernels, each of which is used once, and takes them back."""

    def __init__(self) -> None:
        self._spare: _Spare | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._at_exit: Finalize | None = None

    async def take(self, files: Mapping[str, bytes], options: Mapping[str, Any]) -> Connection:
        """Gives a running kernel, and starts the next one.

        Args:
            files: the files of its folder. A kernel that was started before they were known has
                none, so that it is not used where there are some.
            options: see `graders.kernels.manager.kernel_manager`.

        Returns:
            The kernel, the caller's to close.

        Raises:
            graders.kernels.manager.KernelStartError: if it does not start.
            RuntimeError: if it starts and does not answer.
        """
        connection = None if files else await self._take_spare(options)
        if connection is None:
            connection = Connection(files, **options)
            await connection.open()
        if self._at_exit is None:
            # Here, not sooner: a forked process of `multiprocessing` forgets its parent's.
            self._at_exit = Finalize(self, self.close, exitpriority=10)
        if self._spare is None:
            spare = Connection({}, **options)
            self._spare = _Spare(options, spare, asyncio.ensure_future(spare.open()))
        return connection

    async def _take_spare(self, options: Mapping[str, Any]) -> Connection | None:
        if self._spare is None:
            return None
        spare, fits = self._spare, self._spare.fits(options)
        self._spare = None
        connection = await spare.opened() if fits else None
        if connection is None:
            spare.discard()
        return connection

    async def take_back(self, connection: Connection) -> None:
        """Kills a kernel; its user need not wait until it has ended."""
        ending = asyncio.ensure_future(connection.close())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        await asyncio.sleep(0)  # it gets as far as waiting: the kernel is killed now

    async def ended(self) -> None:
        """Waits until the kernels that were given back have ended."""
        mine = {task for task in self._ending if task.get_loop() is asyncio.get_running_loop()}
        if mine:
            await asyncio.wait(mine, timeout=END_SECONDS)

    def close(self) -> None:
        """Ends all kernels that are left."""
        if self._ending:
            run_sync(self.ended)()
        if self._spare is not None:
            spare, self._spare = self._spare, None
            spare.discard()
