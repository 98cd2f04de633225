"""JupyterLab's extensions and kernels: each is spoilt once and has to be found."""

import json
import sys

import jupyter_core.paths
import pytest

from graders.doctor import jupyter
from graders.doctor.checkup import Level


@pytest.fixture
def data(tmp_path, monkeypatch):
    """An empty data folder of Jupyter's that goes before all others."""
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    return tmp_path


@pytest.fixture
def config(tmp_path, monkeypatch):
    """An empty configuration folder of Jupyter's that goes before all others."""
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path))
    return tmp_path


def one(findings):
    (finding,) = findings
    return finding


def test_this_environment_is_fine():
    for check in (jupyter.lab_extension, jupyter.server_extensions):
        assert one(check()).level is Level.OK
    assert [finding.level for finding in jupyter.kernels(["python3", "python3"])] == [Level.OK]


def test_no_lab_extension(monkeypatch, tmp_path):
    monkeypatch.setattr(jupyter_core.paths, "jupyter_path", lambda *_: [str(tmp_path)])
    finding = one(jupyter.lab_extension())
    assert finding.level is Level.PROBLEM
    assert "JupyterLab has no menu" in finding.words
    assert "pip install" in finding.advice


def test_lab_extension_of_another_version(data):
    package = data / "labextensions" / "@jupyter" / "nbgrader" / "package.json"
    package.parent.mkdir(parents=True)
    build = {"load": "static/x.js", "extension": "./extension"}
    package.write_text(
        json.dumps(
            {"name": "@jupyter/nbgrader", "version": "0.8.1", "jupyterlab": {"_build": build}}
        )
    )
    finding = one(jupyter.lab_extension())
    assert finding.level is Level.PROBLEM
    assert "0.8.1" in finding.words and str(package.parent) in finding.words


@pytest.mark.parametrize("name", ["@jupyter/nbgrader", "@jupyter/nbgrader:formgrader"])
def test_disabled_lab_extension(monkeypatch, tmp_path, name):
    monkeypatch.setattr(
        "jupyterlab_server.config.get_page_config", lambda *_: {"disabledExtensions": [name]}
    )
    finding = one(jupyter.lab_extension())
    assert finding.level is Level.PROBLEM
    assert finding.advice == f"Run jupyter labextension enable {name}."


def test_disabled_server_extension(config):
    switched = {"ServerApp": {"jpserver_extensions": {jupyter.SERVER_EXTENSIONS[2]: False}}}
    (config / "jupyter_server_config.json").write_text(json.dumps(switched))
    finding = one(jupyter.server_extensions())
    assert finding.level is Level.PROBLEM
    assert finding.words == "formgrader not enabled"
    assert "enable --sys-prefix nbgrader.server_extensions.formgrader" in finding.advice


def kernel(data, program):
    spec = data / "kernels" / "course" / "kernel.json"
    spec.parent.mkdir(parents=True, exist_ok=True)
    argv = [str(program), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": argv, "display_name": "x", "language": "python"}))
    return one(jupyter.kernels(["course"]))


def test_kernels(data, tmp_path):
    missing = one(jupyter.kernels(["course"]))
    assert missing.level is Level.PROBLEM
    assert "ipykernel install --sys-prefix --name course" in missing.advice
    assert kernel(data, sys.executable).level is Level.OK
    assert kernel(data, "python").level is Level.OK
    gone = kernel(data, tmp_path / "gone" / "bin" / "python")
    assert gone.level is Level.PROBLEM and "which is not there" in gone.words
    other = tmp_path / "other" / "bin" / "python"
    other.parent.mkdir(parents=True)
    for status, level, words in ((1, Level.PROBLEM, "lacks jax"), (0, Level.WARNING, "another")):
        other.write_text(f"#!/bin/sh\nexit {status}\n")
        other.chmod(0o755)
        finding = kernel(data, other)
        assert finding.level is level
        assert words in finding.words
