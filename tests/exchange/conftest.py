"""An instructor and two students as users of one machine, with an exchange between them."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from tests.situations import toy

ROOT = Path(__file__).parents[2]
USERS = {"teacher": 61001, "ada": 61002, "ben": 61003}
TOWN = "/tmp/town"
"""Where the users see their homes and the exchange."""

COURSE = f"""
from graders.grading.config import configure
c = get_config()
c.CourseDirectory.course_id = "toys"
c.CourseDirectory.root = "{TOWN}/teacher/course"
c.Exchange.root = "{TOWN}/exchange"
configure(c)
"""
DESK = f"""
c = get_config()
c.CourseDirectory.course_id = "toys"
c.Exchange.root = "{TOWN}/exchange"
"""


@dataclass
class Done:
    """What became of a command."""

    status: int
    printed: str


class Town:
    """Runs commands as its users.

    Args:
        folder: a new folder, which the users see as `TOWN`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._make()
        self._process = subprocess.Popen(
            [*_as_root(), *self._bubble(), sys.executable, "-m", "tests.exchange.town", TOWN,
             json.dumps(USERS)], cwd=ROOT,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def _make(self) -> None:
        self.folder.chmod(0o755)
        for name in USERS:
            (self.folder / name).mkdir(mode=0o700)
        source = self.folder / "teacher" / "course" / "source" / "toy"
        source.mkdir(parents=True)
        nbformat.write(toy.source(), source / "toy.ipynb")
        for folder, text in (("teacher/course", COURSE), ("ada", DESK), ("ben", DESK)):
            (self.folder / folder / "nbgrader_config.py").write_text(text)
        # As nbgrader's documentation has the administrator make it.
        exchange = self.folder / "exchange"
        exchange.mkdir()
        exchange.chmod(0o777)
        lines = [f"{name}:x:{uid}:{uid}::{TOWN}/{name}:/bin/sh" for name, uid in USERS.items()]
        self._users = self.folder / "passwd"
        self._users.write_text("root:x:0:0::/:/bin/sh\n" + "\n".join(lines) + "\n")

    def _bubble(self) -> list[str]:
        """This machine with other users, an empty /tmp, and Python where they can read it."""
        needed = {ROOT, Path(sys.prefix), Path(sys.base_prefix).resolve()}
        empty = {Path("/tmp")} | {
            parent for path in needed for parent in path.parents
            if not parent.stat().st_mode & 0o001
        }  # fmt: skip
        command = ["bwrap", "--dev-bind", "/", "/", "--die-with-parent"]
        for folder in sorted(empty):
            command += ["--perms", "1777" if folder == Path("/tmp") else "755"]
            command += ["--tmpfs", str(folder)]
        for path in sorted(needed):
            for parent in reversed(path.parents):
                if not empty.isdisjoint(parent.parents):
                    command += ["--perms", "755", "--dir", str(parent)]
            command += ["--ro-bind", str(path), str(path)]
        command += ["--bind", str(self.folder), TOWN]
        command += ["--ro-bind", str(self._users), "/etc/passwd"]
        # Only as far as it takes to become one of the users, and to give them their homes.
        for right in ("SETUID", "SETGID", "CHOWN", "DAC_OVERRIDE", "FOWNER"):
            command += ["--cap-add", f"CAP_{right}"]
        return [*command, "--"]

    def run(self, user: str, **order: object) -> Done:
        """Has a user run something: `nbgrader=[…]`, `graders=[…]`, `program=[…]`, `python="…"`."""
        try:
            self._process.stdin.write(json.dumps({"user": user, **order}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            pytest.fail(
                "The test of the exchange needs three Unix users. Run it as root, or install "
                "uidmap and bubblewrap and have a range in /etc/subuid for your user: "
                + self._process.stderr.read()
            )
        return Done(**json.loads(line))

    def close(self) -> None:
        """Ends it."""
        self._process.communicate()


def _as_root() -> list[str]:
    """Root may become any user; others become root of a user namespace that has some."""
    return [] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--map-auto"]


@pytest.fixture
def town(tmp_path):
    made = Town(tmp_path)
    yield made
    made.close()
