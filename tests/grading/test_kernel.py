"""A student's kernel: what ends it, what is done without the guilty, and what that costs."""

import asyncio
import time

import psutil
import pytest

from graders.grading.connection import Connection
from graders.grading.kernel import Budget, StudentKernel
from graders.grading.supply import Supply
from graders.kernels.limits import MIB, Limits
from graders.observe import Call


def kernel(seconds=3.0, notebook=200.0):
    return StudentKernel(Budget(seconds, notebook, 900 * MIB))


def statuses(seen):
    return [observation.status for observation in seen]


@pytest.fixture(scope="module")
def shared():
    with kernel() as running:
        running.run_cell("import time\ncounter = 0\ndef f(x):\n    return x + 1")
        yield running


def test_cells_and_calls(shared):
    run = shared.run_cell("print('hello')\n1 / 0")
    assert (run.status, run.problem.kind) == ("raised", "ZeroDivisionError")
    assert run.outputs[0].text == "hello\n"
    assert [seen.value for seen in shared.observe("f", [Call((1,)), Call((2.5,))])] == [2, 3.5]
    assert statuses(shared.observe("nothing", [Call(())])) == ["raised"]


def test_names_are_described(shared):
    shared.run_cell("data = {'a': [1, (2.0, None)]}\nclass Thing: pass\nthing = Thing()")
    found = shared.describe(["data", "f", "Thing", "thing", "nothing"])
    assert [entry["kind"] for entry in found.values()] == [
        "data", "function", "other", "other", "undefined"
    ]  # fmt: skip


def test_a_picture_in_a_cell_of_the_students_costs_nothing(shared):
    run = shared.run_cell(
        "from graders import returns\nimport sys\n"
        "returns.show(lambda *_: print('called'))\nprint('matplotlib' in sys.modules)"
    )
    assert (run.status, [output.text for output in run.outputs]) == ("returned", ["False\n"])


def test_a_check_in_a_cell_of_the_students_leaves_its_result_alone(shared):
    run = shared.run_cell("from graders import returns\nreturns.check_scan(lambda *_: None)")
    assert run.status == "raised"
    shown = [output.data["text/plain"] for output in run.outputs if "data" in output]
    assert len(shown) == 1
    assert shown[0].startswith("✗ discounted_returns – structure: failed")


def test_a_hang_costs_one_check_and_two_in_a_row_all(shared):
    shared.run_cell("def slow(x):\n    while x > 1: pass\n    return x")
    two = [Call((1,)), Call((2,)), Call((1,))]
    assert statuses(shared.observe("slow", two)) == ["returned", "timed-out", "timed-out"]
    assert statuses(shared.observe("slow", [Call((1,))])) == ["returned"]
    for _ in range(2):
        assert statuses(shared.observe("slow", [Call((2,))])) == ["timed-out"]
    restarts = shared.restarts
    assert statuses(shared.observe("slow", [Call((1,))])) == ["timed-out"]
    assert shared.restarts == restarts
    assert statuses(shared.observe("f", [Call((1,))])) == ["returned"]


def test_the_cell_that_told_the_kernel_to_end_is_left_out(shared):
    shared.run_cell("loop = get_ipython().kernel.io_loop\nt = loop.call_later(0.05, loop.stop)")
    assert shared.run_cell("import time\ntime.sleep(0.2)\nkept = 1").status == "returned"
    assert shared.run_cell("def g(x):\n    return x").status == "returned"
    found = shared.describe(["loop", "kept", "g", "f"])
    assert [e["kind"] for e in found.values()] == ["undefined", "data", "function", "function"]


def test_a_cell_that_hangs_when_it_runs_again_is_left_out(shared, tmp_path):
    shared.run_cell("import time, os\nstarted = time.time()")
    # It runs to its end the first time only: nothing of the kernel's folder stays.
    source = "import builtins\nif len(In) < 4: time.sleep(1e6)\nlate = 1"
    assert shared.run_cell(source).status == "returned"
    assert shared.run_cell("import os\nos._exit(0)").status == "crashed"
    assert shared.run_cell("kept = 2").status == "returned"
    assert shared.describe(["kept"])["kept"] == {"kind": "data", "value": 2}


def test_the_notebooks_time_ends_everything():
    with kernel(notebook=0.0) as late:
        assert late.run_cell("x = 1").status == "timed-out"
        assert late.describe(["x"]) == {"x": {"kind": "stopped", "status": "timed-out"}}
        assert statuses(late.observe("x", [Call(()), Call(())])) == ["timed-out"] * 2
        assert late.sent == []


FLOOD = """
import zmq
kernel = get_ipython().kernel
content = {content}
message = kernel.session.serialize(kernel.session.msg({kind!r}, content, kernel.get_parent()))
socket = kernel.iopub_thread.socket
while True:
    try:
        socket.send_multipart([b"x", *message], zmq.NOBLOCK)
    except zmq.ZMQError:
        pass
"""


@pytest.mark.parametrize(
    ("kind", "content"),
    [("stream", {"name": "stdout", "text": "x"}), ("status", {"execution_state": "busy"})],
)
def test_messages_without_end_last_no_longer_than_the_cell_may(kind, content, monkeypatch):
    read = Connection._message

    def read_slowly(*args):
        time.sleep(0.005)  # so that there is always another one
        return read(*args)

    monkeypatch.setattr(Connection, "_message", read_slowly)
    with kernel(seconds=1.0) as running:
        assert running.run_cell(FLOOD.format(kind=kind, content=content)).status == "timed-out"
        assert running.run_cell("print(1)").outputs[0].text == "1\n"


def test_a_kernel_that_was_given_back_is_killed_at_once():
    supply = Supply()
    for _ in range(2):
        with StudentKernel(Budget(3.0, 200.0, 900 * MIB), supply=supply) as running:
            assert running.run_cell("print(1)").outputs[0].text == "1\n"
            folder = running._connection._folder
            keeper = psutil.Process(running._connection._manager.provisioner.pid)
            kernel = keeper.children()
        # Though nothing waits for that.
        assert kernel and not psutil.wait_procs([keeper, *kernel], timeout=5)[1]
    supply.close()
    assert not folder.exists()


def test_a_kernel_made_ready_for_somebody_else_is_given_up(caplog):
    """While it is being started, it would be started a second time, cold, and stay."""

    async def main():
        supply = Supply()
        taken = [await supply.take({}, options(900))]
        spare = supply._spare
        while spare.connection._manager is None or not spare.connection._manager.has_kernel:
            await asyncio.sleep(0)
        assert not spare.opening.done()
        taken.append(await supply.take({}, options(800)))
        await asyncio.wait([spare.opening])
        assert spare.opening.cancelled()
        assert not caplog.records
        for connection in taken:
            await connection.close()
        supply.close()

    asyncio.run(main())


def options(memory):
    return {"limits": Limits(memory=memory * MIB)}


def test_requests_of_the_grader_are_not_seen_by_cells(shared):
    shared.run_cell(
        "seen = []\nget_ipython().events.register('pre_run_cell', lambda info: seen.append(info))"
    )
    before = shared.describe(["seen"])["seen"]
    shared.observe("f", [Call((1,))])
    assert before == shared.describe(["seen"])["seen"] == {"kind": "data", "value": {"list": []}}
