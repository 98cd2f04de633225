"""Settings that every test runs under.

Warnings are errors (see pyproject.toml). JAX's own strict modes (rank promotion, dtype promotion)
stay off on purpose: the answers under test run as they do on a student's machine.
"""

import os
import sys
from pathlib import Path

import hypothesis
from xdist.scheduler import LoadScopeScheduling

# Read by JAX, Matplotlib and Jupyter when they are imported, here and in every kernel and command
# that a test starts.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["MPLBACKEND"] = "agg"
# nbgrader starts `alembic` by its bare name.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

# Timing is no verdict on a shared machine, and a failure has to come back on the next run.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("repeatable")


def pytest_addoption(parser):
    parser.addoption(
        "--refresh-messages", action="store_true", help="write tests/messages anew, to be read"
    )


class ByFolder(LoadScopeScheduling):
    """Which of `make test`'s two processes runs what.

    A folder's tests share fixtures, and so do a file's: each folder, and each file beside the
    folders, goes to one process. What looks at the whole bank shares its observations.
    """

    BANK = ("test_bank.py", "test_messages.py", "test_quiz.py")

    def _split_scope(self, nodeid: str) -> str:
        place = nodeid.partition("::")[0].removeprefix("tests/").partition("/")[0]
        return "bank" if place in self.BANK else place


def pytest_xdist_make_scheduler(config, log):
    return ByFolder(config, log)
