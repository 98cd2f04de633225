"""What a confined kernel must not be able to do, tried by a real kernel in every way it is started.

The same code in a stock kernel succeeds, so that each test can fail.
"""

import collections
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graders.doctor import probes
from graders.doctor.trial import NEED_NAMESPACES

HERE = Path(__file__).parent
ATTACKS = (
    *probes.attacks(collections.defaultdict(str)),
    *("leave a daemon", "processor time without end", "memory without end"),
)
USERS = ("root", "ordinary") if os.getuid() == 0 else ("ordinary",)
LAYERS = {
    "warm": {"warm": True, "confine": "required"},
    "warm-without-namespaces": {"warm": True, "confine": "required", "namespaces": False},
    "cold": {"warm": False, "confine": "required"},
    "cold-without-bubblewrap": {"warm": False, "confine": "required", "bubblewrap": False},
    "stock": {"warm": False, "confine": "stock"},
}


def told_by(script, argument, user, timeout=120):
    """What a script beside this file prints as JSON in its last line, run as a user."""
    become = [str(HERE / "ordinary.py")] if os.getuid() == 0 and user != "root" else []
    done = subprocess.run(
        [sys.executable, *become, str(HERE / script), argument],
        env={**os.environ, "PYTHONPATH": str(HERE.parents[1])},
        capture_output=True, text=True, check=False, timeout=timeout,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="session")
def attacked():
    """What became of the attacks, by user and layers; each combination is run once."""
    known = {}

    def run(user, layers):
        if (user, layers) not in known:
            known[user, layers] = told_by("attack.py", json.dumps(LAYERS[layers]), user)
        return known[user, layers]

    return run


@pytest.mark.parametrize("layers", [name for name in LAYERS if name != "stock"])
@pytest.mark.parametrize("user", USERS)
def test_refused(attacked, user, layers):
    result = attacked(user, layers)
    succeeded = {name for name, error in result["refused"].items() if error is None}
    assert set(result["refused"]) == set(ATTACKS)
    assert succeeded == (NEED_NAMESPACES if layers == "warm-without-namespaces" else set())


@pytest.mark.parametrize("layers", [name for name in LAYERS if name != "stock"])
@pytest.mark.parametrize("user", USERS)
def test_ordinary_work_goes_on(attacked, user, layers):
    result = attacked(user, layers)
    assert result["wrong"] == []
    assert result["started"] == layers.partition("-")[0]
    assert (result["transport"], result["addresses"]) == ("ipc", 0)
    assert (result["user"] == 0) == (user == "root")


@pytest.mark.parametrize("user", USERS)
def test_stock_kernel_lets_it_happen(attacked, user):
    result = attacked(user, "stock")
    outcome = result["refused"]
    refused = {name for name, error in outcome.items() if error is not None}
    if user != "root":
        refused.discard("write into the Python environment")  # which may be root's
    assert not refused
    assert result["addresses"] > 0  # ipykernel's own, for what children print
