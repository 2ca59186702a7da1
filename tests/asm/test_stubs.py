"""The committed type stub of the instruction methods is what the declarations say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from hkasm.asm.builder import Builder, known_mnemonics

TOOL = Path(__file__).parent.parent.parent / "tools" / "make_stubs.py"


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_stubs", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_is_up_to_date() -> None:
    tool = load_tool()
    assert tool.TARGET.read_text(encoding="utf-8") == tool.stub(), "run tools/make_stubs.py"


def test_the_stub_has_every_method_and_the_builder_makes_it() -> None:
    text = load_tool().stub()
    for arch in ("gfx942", "gfx950"):
        builder = Builder(arch)
        for mnemonic in known_mnemonics(arch):
            assert f"    def {mnemonic}(" in text
            assert getattr(builder, mnemonic).__name__ == mnemonic
