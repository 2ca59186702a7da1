"""What all tests share: which of them run here."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import settings

# The default deadline measures the machine, not the code.
settings.register_profile("hkasm", deadline=None)
settings.load_profile("hkasm")

_LLVM_TOOLS = ("clang-22", "ld.lld-22", "llvm-mc-22", "llvm-objdump-22")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [tool for tool in _LLVM_TOOLS if shutil.which(tool) is None]
    if not missing:
        return
    skip = pytest.mark.skip(reason=f"no {', '.join(missing)} here")
    for item in items:
        if item.get_closest_marker("llvm"):
            item.add_marker(skip)
