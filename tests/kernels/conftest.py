"""Running kernels for tests."""

import asyncio
import contextlib

import pytest

from graders.kernels.manager import exit_reason, kernel_manager


class Running:
    """A running kernel and what it says."""

    def __init__(self, manager, client):
        self.manager = manager
        self.client = client

    async def run(self, code):
        """Runs a cell; returns its outputs, or how the kernel ended during it."""
        outputs = []

        def hook(message):
            content = dict(message["content"])
            content.pop("metadata", None)
            outputs.append((message["msg_type"], content))

        cell = asyncio.ensure_future(
            self.client.execute_interactive(code, timeout=60, output_hook=hook)
        )
        end = asyncio.ensure_future(self.manager.provisioner.wait())
        done, late = await asyncio.wait([cell, end], return_when=asyncio.FIRST_COMPLETED)
        for task in late:
            task.cancel()
        return exit_reason(self.manager) if end in done else outputs

    async def print(self, expression):
        """The text of an expression's value."""
        outputs = await self.run(f"print({expression})")
        return "".join(
            content["text"] if kind == "stream" else str(content)
            for kind, content in outputs
            if kind in ("stream", "error")
        ).strip()


@contextlib.asynccontextmanager
async def _running(folder, **wanted):
    manager = kernel_manager(folder, **wanted)
    await manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)
        yield Running(manager, client)
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


@pytest.fixture
def running():
    """What starts a kernel in an `async with`; it takes the arguments of `kernel_manager`."""
    return _running
