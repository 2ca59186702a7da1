"""What all tests share: which of them run here, and the toolchain that those use which assemble."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import settings

from hkasm.asm.toolchain import Toolchain, find_toolchain
from hkasm.errors import ToolchainError

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


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    """The clang and lld that hkasm itself would take; the test is skipped where there are none."""
    try:
        return find_toolchain(arch="gfx950")
    except ToolchainError as error:
        pytest.skip(error.message)
