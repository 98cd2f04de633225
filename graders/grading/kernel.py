"""A student's kernel: running cells, asking for observations, starting afresh.

Each call and each cell has a time budget. What overruns it or kills the kernel is named,
the kernel's whole process group is ended, and a fresh kernel runs the student's cells
again without the guilty one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import zmq.asyncio
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_core.utils import run_sync

from graders import observe as seeing
from graders.kernels.limits import MIB, Limits
from graders.kernels.manager import exit_reason, kernel_manager
from graders.observe import Call, Observation, Problem
from graders.serve import MIME

MAX_OUTPUT = 100_000
"""Characters of output that a cell may leave in a notebook."""

MAX_MESSAGE = 32 * MIB
"""Bytes of the largest message that a kernel may send."""

STRIKES = 2
"""Calls of one function that may overrun or kill the kernel before the others are not tried."""


@dataclass(frozen=True)
class Budget:
    """What grading one notebook may cost.

    Attributes:
        call_seconds: for one call of a function, or one cell of the student's.
        notebook_seconds: for all of the notebook.
        memory: bytes that the kernel and its children may hold.
    """

    call_seconds: float = 10.0
    notebook_seconds: float = 120.0
    memory: int = 2048 * MIB


@dataclass
class CellRun:
    """What came of running a cell.

    Attributes:
        status: `"returned"`, `"raised"`, `"timed-out"`, `"crashed"` or `"out-of-memory"`.
        outputs: nbformat outputs.
        problem: the exception, if it raised.
    """

    status: str
    outputs: list[Any] = field(default_factory=list)
    problem: Problem | None = None


class _Ended(Exception):
    """The kernel did not answer in time, or has ended."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class StudentKernel:
    """Runs a student's cells and observes a student's functions; never raises for their faults.

    Args:
        budget: the limits.
        confine: `"auto"`, `"required"` or `"off"`.
        warm: whether to fork from a warm parent.
        files: the submission's other files by relative path, written afresh for each kernel.
        readonly: further folders that the kernel may read, as they are.
        environment: further environment variables.
    """

    def __init__(
        self,
        budget: Budget,
        *,
        confine: str = "auto",
        warm: bool = True,
        files: Mapping[str, bytes] | None = None,
        readonly: Sequence[Path] = (),
        environment: dict[str, str] | None = None,
    ) -> None:
        self._budget = budget
        self._options: dict[str, Any] = {
            "confine": confine, "warm": warm, "readonly": tuple(readonly),
            "env": environment or {}, "limits": Limits(memory=budget.memory),
        }  # fmt: skip
        self._files = dict(files or {})
        self._deadline = time.monotonic() + budget.notebook_seconds
        self._manager: Any = None
        self._client: AsyncKernelClient | None = None
        self._folder: Path | None = None
        self._cells: list[str] = []
        self._epoch = 0
        self._strikes: dict[str, str] = {}
        self._strike_counts: dict[str, int] = {}
        self.restarts = 0
        self.sent: list[str] = []
        """Every text that was sent to a kernel."""

    # --- what the judge calls ---------------------------------------------------------------

    def __enter__(self) -> StudentKernel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run_cell(self, source: str) -> CellRun:
        """Runs one of the student's cells; one that ends the kernel is left out from then on."""
        run = run_sync(self._run_cell)(source)
        if run.status in (seeing.RETURNED, seeing.RAISED):
            self._cells.append(source)
        self._epoch += 1
        return run

    def describe(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What the student's notebook has under these names; see `graders.serve.describe`."""
        found: dict[str, dict[str, Any]] = {}

        def take(document: dict[str, Any]) -> None:
            described = document.get("described")
            if isinstance(described, dict):
                found.update({str(k): v for k, v in described.items() if isinstance(v, dict)})

        with contextlib.suppress(_Ended):
            run_sync(self._ask)({"describe": list(names)}, take)
        return {name: found.get(name, {"kind": "undefined"}) for name in names}

    def observe(self, name: str, calls: Sequence[Call]) -> tuple[Observation, ...]:
        """Makes calls of one of the student's functions; see `graders.observe`."""
        seen: dict[int, Observation] = {}
        while len(seen) < len(calls):
            if self._strike_counts.get(name, 0) >= STRIKES:
                status = self._strikes[name]
                return tuple(seen.get(i, Observation(status)) for i in range(len(calls)))
            left = [number for number in range(len(calls)) if number not in seen]
            try:
                self._observe(name, calls, left, seen)
            except _Ended as end:
                guilty = next(number for number in left if number not in seen)
                seen[guilty] = Observation(end.status)
                self._strikes[name] = end.status
                self._strike_counts[name] = self._strike_counts.get(name, 0) + 1
        return tuple(seen[number] for number in range(len(calls)))

    def _observe(
        self, name: str, calls: Sequence[Call], left: list[int], seen: dict[int, Observation]
    ) -> None:
        request = {
            "name": name,
            "epoch": self._epoch,
            "calls": [seeing.call_to_json(calls[number]) for number in left],
        }

        def take(document: dict[str, Any]) -> None:
            number = document.get("number")
            if isinstance(number, int) and 0 <= number < len(left):
                try:
                    seen[left[number]] = seeing.observation_from_json(document["observation"])
                except (ValueError, KeyError, TypeError) as error:
                    reason = Problem("MalformedReply", (), str(error)[:200])
                    seen[left[number]] = Observation(seeing.MALFORMED, problem=reason)

        run_sync(self._ask)(request, take)
        for number in left:
            # The kernel says that it is done, and has not answered.
            seen.setdefault(number, Observation(seeing.MALFORMED))

    def close(self) -> None:
        """Ends the kernel."""
        run_sync(self._stop)()

    # --- the kernel -------------------------------------------------------------------------

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise _Ended(seeing.TIMED_OUT)
        return min(left, self._budget.call_seconds)

    async def _start(self) -> AsyncKernelClient:
        """The client of a running kernel that has run the student's cells so far."""
        if self._client is not None:
            return self._client
        self._left()
        self._folder = Path(tempfile.mkdtemp(prefix="graders-"))
        for name, content in self._files.items():
            path = self._folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        manager = kernel_manager(self._folder, **self._options)
        manager.context = zmq.asyncio.Context.instance()
        self._manager = manager
        await manager.start_kernel()
        client = manager.client()
        client.start_channels(stdin=False, hb=False)
        self._client = client
        await client.wait_for_ready(timeout=60)
        for source in self._cells:
            await self._exchange(source, lambda message: None)
        return client

    async def _stop(self) -> None:
        if self._client is not None:
            self._client.stop_channels()
            self._client = None
        if self._manager is not None:
            manager, self._manager = self._manager, None
            await manager.shutdown_kernel(now=True)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    async def _ended(self, status: str) -> _Ended:
        """Ends the kernel and says why it is gone."""
        if status == seeing.CRASHED and self._manager is not None:
            reason = exit_reason(self._manager)
            if reason is not None and reason.out_of_memory:
                status = seeing.OUT_OF_MEMORY
        await self._stop()
        self.restarts += 1
        return _Ended(status)

    async def _exchange(self, code: str, take: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Has the kernel execute code.

        Args:
            code: the code.
            take: gets every message that it publishes; one of type `MIME` renews the budget.

        Returns:
            The content of the reply.

        Raises:
            _Ended: if the budget is used up or the kernel has ended; it is stopped then.
        """
        client = self._client
        assert client is not None
        self.sent.append(code)
        request = client.execute(code, store_history=True, allow_stdin=False, stop_on_error=False)
        death = asyncio.ensure_future(self._manager.provisioner.wait())
        idle, reply = False, None
        deadline = time.monotonic() + self._left()
        try:
            while not (idle and reply is not None):
                channel = client.shell_channel if idle else client.iopub_channel
                getter = asyncio.ensure_future(channel.get_msg(timeout=None))
                wait = deadline - time.monotonic()
                await asyncio.wait(
                    {getter, death}, timeout=max(wait, 0), return_when="FIRST_COMPLETED"
                )
                if not getter.done():
                    getter.cancel()
                    raise await self._ended(seeing.CRASHED if death.done() else seeing.TIMED_OUT)
                message = getter.result()
                if message["parent_header"].get("msg_id") != request:
                    continue
                if idle:
                    reply = message["content"]
                    break
                kind = message["msg_type"]
                if kind == "status":
                    idle = message["content"].get("execution_state") == "idle"
                    continue
                take(message)
                if MIME in message["content"].get("data", {}):
                    deadline = time.monotonic() + self._left()
        finally:
            death.cancel()
        return reply or {}

    async def _ask(self, request: dict[str, Any], take: Callable[[dict[str, Any]], None]) -> None:
        def unwrap(message: dict[str, Any]) -> None:
            document = message["content"].get("data", {}).get(MIME)
            if isinstance(document, dict):
                take(document)

        await self._start()
        await self._exchange(
            f"__import__('graders.serve').serve.answer({json.dumps(request)!r})", unwrap
        )

    async def _run_cell(self, source: str) -> CellRun:
        collector = _Outputs()
        try:
            await self._start()
            reply = await self._exchange(source, collector.take)
        except _Ended as end:
            return CellRun(end.status, collector.outputs)
        if reply.get("status") != "error":
            return CellRun(seeing.RETURNED, collector.outputs)
        name = str(reply.get("ename", ""))[:80]
        problem = Problem(name, (name,), str(reply.get("evalue", ""))[:600])
        return CellRun(seeing.RAISED, collector.outputs, problem)


class _Outputs:
    """Collects a cell's outputs, up to `MAX_OUTPUT` characters."""

    def __init__(self) -> None:
        self.outputs: list[Any] = []
        self._left = MAX_OUTPUT

    def take(self, message: dict[str, Any]) -> None:
        if message["msg_type"] not in ("stream", "display_data", "execute_result", "error"):
            return
        if self._left <= 0:
            return
        content = message["content"]
        if message["msg_type"] == "stream":
            content["text"] = str(content.get("text", ""))[: self._left]
        self._left -= len(json.dumps(content, default=str))
        if self._left <= 0 and message["msg_type"] != "stream":
            return
        output = nbformat.v4.output_from_msg(message)
        last = self.outputs[-1] if self.outputs else None
        if last and last.output_type == output.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            self.outputs.append(output)
        if self._left <= 0:
            note = "\n[the rest of this cell's output was left out by the grader]\n"
            self.outputs.append(nbformat.v4.new_output("stream", name="stdout", text=note))
