"""Judging the bank in processes of other Pythons, under other settings of JAX."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.versions.verdicts import Verdicts

ROOT = Path(__file__).parents[2]
EXPECTED = Path(__file__).with_name("verdicts.json")

SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"JAX_ENABLE_X64": "1"},
    {"JAX_DISABLE_JIT": "1"},
    {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"},
)
_PARTS = 4

_WHICH = (
    "import jax, platform; print('Python', platform.python_version(), 'with jax', jax.__version__)"
)


@dataclass(frozen=True)
class Compared:
    """The verdicts under one setting, beside those that are expected.

    Attributes:
        setting: Python, JAX and setting in words.
        count: the number of answers.
        changes: for each answer whose verdict differs a line that says so.
    """

    setting: str
    count: int
    changes: tuple[str, ...]


def expected() -> Verdicts:
    """What the verdicts have to be."""
    found: Verdicts = json.loads(EXPECTED.read_text(encoding="utf-8"))
    return found


def refresh(python: str) -> None:
    """Writes down what the verdicts are under one Python with JAX as it comes."""
    [found] = _judged([(python, {}, 1)])
    new = EXPECTED.with_suffix(".new")
    new.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    new.replace(EXPECTED)


def compare(pythons: Sequence[str], every: int = 1) -> Iterator[Compared]:
    """Judges the bank under each Python with each setting.

    Args:
        pythons: the interpreters, each of an environment of its own.
        every: under settings other than JAX's own, only every so many answers are judged.
    """
    wanted = expected()
    work = [
        (python, setting, every if setting else 1) for python in pythons for setting in SETTINGS
    ]
    names = {
        python: subprocess.run(
            [python, "-c", _WHICH], check=True, capture_output=True, text=True
        ).stdout.strip()
        for python in pythons
    }
    for (python, setting, step), found in zip(work, _judged(work), strict=True):
        words = " ".join(f"{name}={value}" for name, value in setting.items())
        changes = tuple(
            f"{name}: {wanted.get(name)} has become {verdict}"
            for name, verdict in found.items()
            if verdict != wanted.get(name)
        )
        missing = () if step > 1 else tuple(f"{name}: missing" for name in wanted.keys() - found)
        setting_told = f"{names[python]}, {words or 'as it comes'}"
        yield Compared(setting_told, len(found), changes + missing)


def _judged(work: Sequence[tuple[str, dict[str, str], int]]) -> Iterator[Verdicts]:
    """The verdicts for each (interpreter, setting, step), in parts that run side by side."""

    def part(task: tuple[str, dict[str, str], int, int]) -> Verdicts:
        python, setting, step, number = task
        command = [python, "-m", "tests.versions.verdicts", str(number * step), str(_PARTS * step)]
        environment = os.environ | {"JAX_PLATFORMS": "cpu", "MPLBACKEND": "agg"} | setting
        done = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} with {setting} failed:\n{done.stderr[-2000:]}")
        found: Verdicts = json.loads(done.stdout)
        return found

    tasks = [(*one, number) for one in work for number in range(_PARTS)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = pool.map(part, tasks)
        for _ in work:
            together: Verdicts = {}
            for _ in range(_PARTS):
                together |= next(parts)
            yield together
