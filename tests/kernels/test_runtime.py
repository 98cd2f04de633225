"""A kernel's private folder, and what is left of those whose process was killed."""

import os
import subprocess
import sys

import pytest

from graders.kernels import runtime


@pytest.fixture
def temporary(monkeypatch, tmp_path):
    monkeypatch.setattr(runtime.tempfile, "tempdir", str(tmp_path))
    runtime._sweep.cache_clear()
    yield tmp_path
    runtime._sweep.cache_clear()


def test_left_behind_folders_go_and_others_stay(temporary):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    stale, fresh, alive, foreign = (
        temporary / name
        for name in (f"gk-{ended.pid}-a", f"gk-{ended.pid}-b", f"gk-{os.getpid()}-c", "gk-x-d")
    )
    for folder in (stale, fresh, alive, foreign):
        (folder / "tmp").mkdir(parents=True)
        if folder is not fresh:
            os.utime(folder, (0, 0))
    made = runtime.make()
    assert not stale.exists()
    assert all(folder.exists() for folder in (fresh, alive, foreign, made))


def test_removed_against_a_kernels_will(temporary):
    made = runtime.make()
    runtime.clear(made)
    deep = made / "tmp" / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").touch()
    outside = temporary / "outside"
    outside.mkdir(mode=0o755)
    (made / "tmp" / "link").symlink_to(outside)
    deep.chmod(0)
    deep.parent.chmod(0)
    runtime.clear(made)
    assert list((made / "tmp").iterdir()) == []
    runtime.remove(made)
    assert not made.exists()
    assert outside.stat().st_mode & 0o777 == 0o755
