"""Importing `jsonschema` without a second's work that no notebook needs.

Where `rfc3987_syntax` is installed (JupyterLab brings it), `jsonschema` imports it for one
function, and it builds a grammar of internationalised addresses. With this it does so when that
function is called.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

_GRAMMAR = "rfc3987_syntax"


def import_jsonschema() -> None:
    """Imports `jsonschema`; whoever else wants the grammar's module gets it as ever."""
    if {"jsonschema", _GRAMMAR} & sys.modules.keys() or not importlib.util.find_spec(_GRAMMAR):
        return
    stand_in = ModuleType(_GRAMMAR)
    stand_in.__dict__["is_valid_syntax"] = _is_valid_syntax
    sys.modules[_GRAMMAR] = stand_in
    try:
        importlib.import_module("jsonschema")
    finally:
        del sys.modules[_GRAMMAR]


def _is_valid_syntax(*args: Any) -> bool:
    return bool(importlib.import_module(_GRAMMAR).is_valid_syntax(*args))
