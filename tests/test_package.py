"""The package itself: public names are there, and asking for none of them costs nothing."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import hkasm


@pytest.mark.parametrize("name", hkasm.__all__)
def test_public_name_is_there(name: str) -> None:
    assert getattr(hkasm, name) is not None
    assert name in dir(hkasm)


def test_type_checkers_are_told_the_same_names() -> None:
    stub = ast.parse(Path(hkasm.__file__).with_suffix(".pyi").read_text())
    told = {(name.asname, node.module) for node in stub.body if isinstance(node, ast.ImportFrom) for name in node.names}
    assert {name for name, _ in told} == {*hkasm.__all__} - {"__version__"}
    for name, module in told:
        assert getattr(importlib.import_module(str(module)), str(name)) is getattr(hkasm, str(name))


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'hkasm' has no attribute 'no_such_name'"):
        _ = hkasm.no_such_name  # type: ignore[attr-defined]


def test_import_loads_nothing_else() -> None:
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, hkasm; print([m for m in sys.modules if m.startswith(('hkasm.', 'numpy'))])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "[]"
