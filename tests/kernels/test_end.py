"""How kernels end: as a whole, for a reason that can be told, and without harm to others."""

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from graders.kernels.limits import MIB, Limits
from graders.kernels.manager import exit_reason, kernel_manager
from graders.kernels.reason import ExitReason

WAYS = [{"warm": warm, "confine": confine} for warm in (True, False) for confine in ("auto", "off")]


def with_mark(mark):
    """The processes that have the mark in their command line."""
    return [p for p in psutil.process_iter(["cmdline"]) if mark in (p.info["cmdline"] or ())]


def wait_until(condition):
    """Waits for something that has to come to pass within 20 s."""
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.fixture
def mark():
    """A number of seconds that no other process sleeps."""
    return f"600.{secrets.randbelow(10**9):09}"


@pytest.mark.parametrize("wanted", WAYS, ids=str)
def test_nothing_is_left_behind(running, tmp_path, mark, wanted):
    async def main():
        async with running(tmp_path, **wanted) as kernel:
            await kernel.run(
                "import subprocess, signal\n"
                f"subprocess.Popen(['sleep', {mark!r}], start_new_session=True)\n"
                f"subprocess.Popen(['sh', '-c', 'nohup setsid sleep {mark} &'])\n"
            )
            assert wait_until(lambda: len(with_mark(mark)) >= 2)
            return Path(kernel.manager.connection_file).parent

    private = asyncio.run(main())
    assert with_mark(mark) == []
    assert not private.exists()


@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize("wait", [True, False])
def test_abandoned_without_an_event_loop(tmp_path, warm, wait):
    """Also one that is still starting."""
    manager = kernel_manager(tmp_path, warm=warm)
    provisioner = manager.provisioner

    async def start():
        task = asyncio.ensure_future(manager.start_kernel())
        while not (task.done() if wait else provisioner._control):
            await asyncio.sleep(0.01)
        if not wait:
            task.cancel()

    asyncio.run(start())
    private = Path(manager.connection_file).parent
    assert private.name.startswith("gk-") and private.is_dir()
    pid = provisioner.pid
    provisioner.abandon()
    manager.context.destroy(linger=0)
    assert not private.exists()
    assert pid is None or not psutil.pid_exists(pid)


@pytest.mark.parametrize("wanted", WAYS, ids=str)
def test_nothing_outlives_the_owner(mark, wanted):
    command = [sys.executable, str(Path(__file__).with_name("driver.py")), mark, json.dumps(wanted)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        try:
            line = owner.stdout.readline()
            below = psutil.Process(owner.pid).children(recursive=True)
        finally:
            owner.kill()
    forked = int(line.split()[0])
    kernels = [process for process in below if process.pid != forked]
    try:
        assert kernels
        # the driver has the mark in its command line, and so has the process forked from it
        assert wait_until(lambda: {process.pid for process in with_mark(mark)} == {forked})
        assert wait_until(lambda: not any(process.is_running() for process in kernels))
    finally:
        os.kill(forked, signal.SIGKILL)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import os; os._exit(3)", {"code": 3, "signal": None}),
        ("import os; os._exit(0)", {"code": 0, "signal": None}),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", {"signal": signal.SIGKILL}),
        ("import ctypes; ctypes.string_at(0)", {"signal": signal.SIGSEGV}),
        ("import os; os.abort()", {"signal": signal.SIGABRT}),
        ("while True: pass", {"signal": signal.SIGXCPU}),
    ],
)
def test_reason(running, tmp_path, code, expected):
    async def main():
        async with running(tmp_path, limits=Limits(cpu_seconds=1)) as kernel:
            assert exit_reason(kernel.manager) is None
            return await kernel.run(code)

    reason = asyncio.run(main())
    told = {name: getattr(reason, name) for name in expected}
    assert told == expected
    assert not reason.out_of_memory
    assert not reason.requested
    assert reason.cpu_seconds > 0


FORGE = """
import os, socket
for name in os.listdir("/proc/self/fd"):
    try:
        found = socket.socket(fileno=os.dup(int(name)))
        if found.type == socket.SOCK_SEQPACKET:
            print("found", name)
    except OSError:
        pass
"""


@pytest.mark.parametrize("warm", [True, False])
def test_keepers_socket_is_not_the_kernels(running, tmp_path, warm):
    """Or a kernel could tell how it ended, or ask the warm parent for more kernels."""

    async def main():
        async with running(tmp_path, warm=warm) as kernel:
            return [kind for kind, _ in await kernel.run(FORGE)]

    assert "stream" not in asyncio.run(main())


def test_reason_of_a_kernel_that_was_not_wanted(running, tmp_path):
    async def main():
        async with running(tmp_path) as kernel:
            pass
        return exit_reason(kernel.manager)

    reason = asyncio.run(main())
    assert reason.requested
    assert reason.returncode == -signal.SIGKILL


HOGS = {
    "pages": "x = []\nwhile True: x.append(bytearray(10_000_000))",
    "children": (
        "import os, time\n"
        "for _ in range(6):\n"
        "    if os.fork() == 0:\n"
        "        x = bytearray(60_000_000)\n"
        "        time.sleep(60)\n"
        "time.sleep(60)"
    ),
    "shared": (
        "import mmap\n"
        "x = mmap.mmap(-1, 1 << 29)\n"
        "for start in range(0, 1 << 29, 4096): x[start] = 1"
    ),
}


@pytest.mark.parametrize("confine", ["auto", "off"])
@pytest.mark.parametrize("hog", HOGS)
def test_out_of_memory_and_the_neighbour_goes_on(running, tmp_path, hog, confine):
    async def main():
        limits = Limits(memory=300 * MIB)
        async with (
            running(tmp_path, limits=limits, confine=confine) as greedy,
            running(tmp_path, limits=limits, confine=confine) as neighbour,
        ):
            reason = await greedy.run(HOGS[hog])
            assert isinstance(reason, ExitReason), reason
            assert await neighbour.print("6 * 7") == "42"
            return reason

    reason = asyncio.run(main())
    assert reason.out_of_memory
    assert reason.peak_memory > 300 * MIB


def test_what_children_share_with_the_kernel_counts_once(running, tmp_path):
    """Eight idle children of a kernel hold no memory of their own."""

    async def main():
        async with running(tmp_path, limits=Limits(memory=300 * MIB)) as kernel:
            await kernel.run(
                "import os, time\n"
                "for _ in range(8):\n"
                "    if os.fork() == 0:\n"
                "        time.sleep(60)\n"
            )
            await asyncio.sleep(0.5)
            return await kernel.print("6 * 7")

    assert asyncio.run(main()).endswith("42")


def test_one_request_beyond_all_measure_is_an_error(running, tmp_path):
    async def main():
        async with running(tmp_path, limits=Limits(memory=300 * MIB)) as kernel:
            outputs = await kernel.run("bytearray(10**10)")
            assert await kernel.print("6 * 7") == "42"
            return [content["ename"] for kind, content in outputs if kind == "error"]

    assert asyncio.run(main()) == ["MemoryError"]


def test_abort_for_want_of_memory_is_out_of_memory():
    told = {"code": -signal.SIGABRT, "out_of_memory": False, "cpu_seconds": 1.0, "peak_memory": 1}
    said = "terminate called after throwing an instance of 'std::bad_alloc'"
    assert ExitReason.from_keeper(told, requested=False, stderr=said).out_of_memory
    assert not ExitReason.from_keeper(told, requested=False, stderr="").out_of_memory


@pytest.mark.parametrize("value", [0, -1, 1.5, None])
def test_limits_are_whole_numbers_above_zero(value):
    with pytest.raises(ValueError, match="give a whole number above zero"):
        Limits(memory=value)
