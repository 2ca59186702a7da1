"""What a user gives instead of bytes, a kernel's name or an extent: one line that says what to give."""

from __future__ import annotations

import pytest

import hkasm
from hkasm.errors import LaunchError, UsageError


def empty(k: hkasm.Builder) -> None:
    k.s_endpgm()


def test_a_program_is_assembled_first() -> None:
    program = hkasm.build(empty, arch="gfx950")
    with pytest.raises(UsageError, match="got a Program") as error:
        hkasm.device("emulator").load(program)
    assert "load(hkasm.build_hsaco(program))" in str(error.value)


def test_an_unknown_kernel_and_a_bare_number(toolchain: object) -> None:
    module = hkasm.device("emulator").load(hkasm.build_hsaco(hkasm.build(empty, arch="gfx950")))
    with pytest.raises(LaunchError, match="no kernel 'emty' in this object") as error:
        module.kernels["emty"]
    assert "did you mean 'empty'" in str(error.value)
    with pytest.raises(LaunchError, match="grid wants one to three numbers of workgroups, got 1"):
        module.kernels["empty"].launch(grid=1, block=(64, 1, 1), args=[])
