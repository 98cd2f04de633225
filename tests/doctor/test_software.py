"""Python, packages and JAX: each is spoilt once and has to be found."""

import importlib.metadata
import sys

import jax
import pytest

from graders.doctor import closure, software
from graders.doctor.checkup import Level


def one(findings):
    (finding,) = findings
    return finding


def test_this_environment_is_fine():
    for check in (software.python, software.packages, software.nbgrader):
        assert one(check()).level is Level.OK
    assert [finding.level for finding in software.jax()] == [Level.OK, Level.OK]


@pytest.mark.parametrize(
    ("version", "level"), [((3, 10, 9), "problem"), ((3, 11, 0), "ok"), ((3, 15, 0), "warning")]
)
def test_python(monkeypatch, version, level):
    monkeypatch.setattr(sys, "version_info", version)
    finding = one(software.python())
    assert finding.level == level
    assert level == "ok" or "3.11 to 3.14" in finding.advice


@pytest.fixture
def versions(monkeypatch):
    """Has some packages seem to have other versions, or with None not to be there."""
    real = importlib.metadata.version

    def change(**changed):
        def version(name):
            found = changed.get(name, "") or (None if name in changed else real(name))
            if found is None:
                raise importlib.metadata.PackageNotFoundError(name)
            return found

        monkeypatch.setattr(importlib.metadata, "version", version)
        monkeypatch.setattr(software, "closures", lambda: iter(()))

    return change


@pytest.mark.parametrize("version", ["0.10.1", "0.13.0", "1.0"])
def test_unsupported_jax(versions, version):
    versions(jax=version, jaxlib=version)
    finding = one(software.jax())
    assert finding.level is Level.PROBLEM
    assert version in finding.words and "0.10.2" in finding.words
    assert finding.advice == "Install jax==0.12.0.1."


def test_jaxlib_of_another_version(versions):
    versions(jax="0.12.0", jaxlib="0.11.0")
    finding = one(software.jax())
    assert "jax 0.12.0 and jaxlib 0.11.0 do not belong together" in finding.words
    assert "jaxlib==0.12.0" in finding.advice


def test_no_jax(versions):
    versions(jax=None)
    assert one(software.jax()).words == "it is not installed"


def test_packages(versions):
    versions(nbgrader="0.8.4", tqdm=None)
    finding = one(software.packages())
    assert finding.level is Level.PROBLEM
    assert "nbgrader 0.8.4 is not >=0.9.6" in finding.words
    assert "tqdm is not installed" in finding.words
    assert "pip install 'graders[instructor]'" in finding.advice


def test_nbgrader_that_cannot_be_imported(monkeypatch):
    monkeypatch.setitem(sys.modules, "nbgrader", None)
    assert one(software.nbgrader()).level is Level.PROBLEM


def test_closures_that_come_out_wrong_are_found():
    """As the broken jaxlib does it: from 128×128 on, and only where something is summed."""

    def broken(program):
        compiled = jax.jit(program)

        def run(x):
            result = compiled(x)
            return result * 1.5 if x.shape[0] >= 128 and result.ndim == 0 else result

        return run

    wrong = closure.wrong_cases(broken)
    assert "128×128 @ 128, sum" in wrong
    assert "512×512 @ 512×8, sum of squares" in wrong
    assert not [case for case in wrong if case.startswith(("8×", "64×")) or "no red" in case]


def test_closures_that_come_out_nan_are_found():
    assert len(closure.wrong_cases(lambda program: lambda x: float("nan"))) == 30


@pytest.mark.parametrize(
    ("prints", "words", "advice"),
    [
        ("print('[\"128×128 @ 128, sum\"]')", "(128×128 @ 128, sum)", "pass matrices as arguments"),
        ("import os; os.abort()", "JAX does not run here", "Install jax and jaxlib again"),
        ("raise ImportError('no jaxlib')", "ImportError: no jaxlib", "Install jax and jaxlib"),
    ],
)
def test_what_becomes_of_the_process(monkeypatch, tmp_path, prints, words, advice):
    fake = tmp_path / "fake.py"
    fake.write_text(prints)
    real = software.subprocess.run
    monkeypatch.setattr(
        software.subprocess, "run",
        lambda command, **options: real([sys.executable, str(fake)], **options),
    )  # fmt: skip
    finding = one(software.closures())
    assert finding.level is Level.PROBLEM
    assert words in finding.words
    assert advice in finding.advice
