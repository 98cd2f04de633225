"""Starting kernels: warm and cold alike, again after a loss, and by ordinary Jupyter tools."""

import asyncio
import logging
import os
import signal
from pathlib import Path

import nbformat
import psutil
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager, KernelManager
from nbclient import NotebookClient

from graders.kernels import launcher
from graders.kernels.keeper import Request
from graders.kernels.manager import GradingKernelManager, kernel_manager

CELL = """
import sys, os
import jax, jax.numpy as jnp
from IPython.display import display, HTML
print(sys.argv[0], __name__, os.getcwd() == os.path.realpath("."), os.listdir("."))
print(sorted(name for name in os.environ if not name.startswith(("JPY", "MPL", "PWD"))))
print(jax.jit(lambda x: jax.lax.scan(lambda c, y: (0.5 * c + y, c), 0.0, x))(jnp.arange(4.0)))
display(HTML("<b>bold</b>"))
print(hash("text"), [name for name in {"a", "b", "c"}], len(In), file=sys.stderr)
%precision 3
1 / 0
"""


def warm_parent_of(kernel):
    """The process that the kernel was forked from."""
    keeper = psutil.Process(kernel.manager.provisioner.pid)
    ours = [p.process for p in launcher._parents.values() if isinstance(p, launcher.WarmParent)]
    (process,) = [process for process in ours if process.pid == keeper.ppid()]
    return process


def test_warm_and_cold_say_the_same(running, tmp_path):
    async def outputs(warm):
        async with running(tmp_path, warm=warm) as kernel:
            assert kernel.manager.provisioner.started == ("warm" if warm else "cold")
            found = await kernel.run(CELL)
            return found

    warm, cold = asyncio.run(outputs(True)), asyncio.run(outputs(False))
    assert [kind for kind, _ in warm].count("error") == 1
    assert strip_places(warm) == strip_places(cold)


def test_what_notebooks_import_is_there_and_no_thread_that_nobody_needs(running, tmp_path):
    async def said():
        async with running(tmp_path) as kernel:
            await kernel.run("import sys, threading")
            return await kernel.print(
                "[f'graders.{name}' in sys.modules for name in ('returns', 'piecewise', 'quiz')],"
                " sorted(t.name for t in threading.enumerate() if 'Thread-' not in t.name)"
            )

    modules, threads = [True] * 3, ["Control", "Heartbeat", "IOPub", "MainThread"]
    assert asyncio.run(said()) == f"{modules} {threads}"


def strip_places(outputs):
    """Outputs without the name of the temporary file that a traceback may tell.

    What is printed may come in several pieces, as time will have it.
    """
    stripped = []
    for kind, content in outputs:
        kept = {key: value for key, value in content.items() if key != "traceback"}
        if kind == "stream" and stripped and stripped[-1][0] == kind:
            before = stripped[-1][1]
            if before["name"] == kept["name"]:
                before["text"] += kept["text"]
                continue
        stripped.append((kind, kept))
    return stripped


def test_randomness_is_not_shared(running, tmp_path):
    async def numbers():
        async with running(tmp_path) as kernel:
            await kernel.run("import random, numpy")
            return await kernel.print("random.random(), numpy.random.rand()")

    assert asyncio.run(numbers()) != asyncio.run(numbers())


def test_killed_warm_parent_is_replaced(running, tmp_path):
    async def main():
        async with running(tmp_path) as first:
            parent = warm_parent_of(first)
            os.kill(parent.pid, signal.SIGKILL)
            parent.wait()
            assert await first.print("6 * 7") == "42"
            async with running(tmp_path) as second:
                assert second.manager.provisioner.started == "warm"
                assert warm_parent_of(second).pid != parent.pid
                assert await second.print("6 * 7") == "42"

    asyncio.run(main())


def test_warm_parent_of_another_process_serves_as_long_as_it_runs(running, tmp_path, monkeypatch):
    async def main():
        async with running(tmp_path) as first:
            parent = warm_parent_of(first)
        given = [(environment, sock.dup()) for environment, sock in launcher.shared()]
        monkeypatch.setattr(launcher, "_parents", {})
        launcher.adopt(given)
        try:
            async with running(tmp_path) as second:
                assert psutil.Process(second.manager.provisioner.pid).ppid() == parent.pid
                assert await second.print("6 * 7") == "42"
            os.kill(parent.pid, signal.SIGKILL)
            parent.wait()
            async with running(tmp_path) as third:
                assert third.manager.provisioner.started == "warm"
                assert warm_parent_of(third).pid != parent.pid
        finally:
            launcher.stop_warm_parents()

    asyncio.run(main())


def test_stopped_half_way_through_a_request(running, tmp_path):
    """A warm parent that dies with a request unread costs a second try and nothing else."""

    async def main():
        async with running(tmp_path) as first:
            parent = warm_parent_of(first)
            os.kill(parent.pid, signal.SIGSTOP)
            manager = kernel_manager(tmp_path)
            start = asyncio.ensure_future(manager.start_kernel())
            await asyncio.sleep(0.3)
            os.kill(parent.pid, signal.SIGKILL)
            await start
            assert manager.provisioner.started == "warm"
            await manager.shutdown_kernel(now=True)

    asyncio.run(main())


def test_cold_where_forking_is_not_safe(running, tmp_path, caplog):
    """A library that starts a thread when it is imported: no forks from such a process."""
    (tmp_path / "lib" / "jax").mkdir(parents=True)
    (tmp_path / "lib" / "jax" / "__init__.py").write_text(
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
    )
    (tmp_path / "work").mkdir()

    async def main():
        environment = {"PYTHONPATH": str(tmp_path / "lib")}
        async with running(tmp_path / "work", env=environment) as kernel:
            assert kernel.manager.provisioner.started == "cold"
            assert await kernel.print("6 * 7") == "42"

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert "Kernels start cold" in caplog.text
    assert "threads; it can only fork with one" in caplog.text


def test_restart_finds_nothing_of_before(running, tmp_path):
    async def main():
        async with running(tmp_path) as kernel:
            assert await kernel.print("open('/tmp/left', 'w').write('x')") == "1"
            await kernel.manager.restart_kernel(now=True)
            await kernel.client.wait_for_ready(timeout=60)
            assert await kernel.print("__import__('os').path.exists('/tmp/left')") == "False"

    asyncio.run(main())


def test_interrupt(running, tmp_path):
    async def main():
        async with running(tmp_path) as kernel:
            cell = asyncio.ensure_future(kernel.run("print('go')\nwhile True: pass"))
            await asyncio.sleep(0.5)
            await kernel.manager.interrupt_kernel()
            assert [content.get("ename") for kind, content in await cell if kind == "error"] == [
                "KeyboardInterrupt"
            ]
            assert await kernel.print("6 * 7") == "42"

    asyncio.run(main())


def test_nbclient_runs_a_notebook(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import jax\n6 * 7")])

    async def main():
        manager = kernel_manager(tmp_path)
        client = NotebookClient(notebook, km=manager, timeout=60)
        await client.async_execute()
        client.kc.stop_channels()
        await manager.shutdown_kernel(now=True)

    asyncio.run(main())
    assert notebook.cells[0].outputs[0].data["text/plain"] == "42"


@pytest.mark.parametrize("manager_class", [AsyncKernelManager, KernelManager])
def test_by_the_name_of_its_kernelspec(tmp_path, manager_class):
    """As Jupyter would start it once the package is installed, which puts the file there."""
    spec = tmp_path / "kernels" / "graders" / "kernel.json"
    spec.parent.mkdir(parents=True)
    source = GradingKernelManager().kernel_spec.resource_dir
    spec.write_bytes(Path(source, "kernel.json").read_bytes())
    manager = manager_class(
        kernel_name="graders",
        kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(tmp_path / "kernels")]),
    )

    async def use():
        await manager.start_kernel(cwd=str(tmp_path))
        started = manager.provisioner.started
        await manager.shutdown_kernel(now=True)
        return started

    if manager_class is AsyncKernelManager:
        assert asyncio.run(use()) == "warm"
    else:
        manager.start_kernel(cwd=str(tmp_path))
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        assert client.execute_interactive("6 * 7", timeout=60)["content"]["status"] == "ok"
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert manager.transport == "ipc"


def test_folder_has_to_be_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist; make it first"):
        kernel_manager(tmp_path / "nowhere")


LOOKS_AT_PACKAGES = """
import importlib.metadata, jax
looks = []
importlib.metadata.entry_points = lambda **group: looks.append(group) or []
print(jax.devices()[0].platform, looks)
"""


def test_a_warm_kernel_does_not_look_for_plugins_again(running, tmp_path):
    async def main():
        async with running(tmp_path) as kernel:
            said = await kernel.run(LOOKS_AT_PACKAGES)
            return [content["text"] for kind, content in said if kind == "stream"]

    assert asyncio.run(main()) == ["cpu []\n"]


def test_a_start_that_fails_leaves_nothing_open(tmp_path, monkeypatch):
    before = set(launcher._ours)
    request = Request(str(tmp_path / "c.json"), str(tmp_path), str(tmp_path / "gone"), {})
    with pytest.raises(FileNotFoundError) as caught:
        launcher.start_cold(request)
    monkeypatch.setattr(launcher.sys, "executable", str(tmp_path / "no-python"))
    monkeypatch.setattr(launcher, "_parents", {})
    with pytest.raises(FileNotFoundError) as caught_too:
        launcher.start_warm(request, {})
    opened = set(launcher._ours) - before
    assert len(opened) == 3  # kept by the tracebacks
    assert all(sock.fileno() == -1 for sock in opened), (caught, caught_too)
