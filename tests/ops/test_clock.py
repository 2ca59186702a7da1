"""The clock probe: it runs on the emulator, whose two clocks count the same, and its arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

import hkasm
from hkasm.asm.toolchain import Toolchain
from hkasm.ops.clock import CONSTANT_CLOCK_HZ, clock_mhz, clock_program


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_both_clocks_are_read_before_and_after(arch: str, toolchain: Toolchain) -> None:
    with hkasm.device("emulator") as device:
        out = device.buffer(np.zeros(4, np.uint64))
        kernel = device.load(hkasm.build_hsaco(clock_program(arch))).kernels["clock"]
        kernel.launch((1, 1, 1), (64, 1, 1), [out])
        counts = out.numpy()
    assert (counts[2:] > counts[:2]).all()
    # The emulator's clocks both count instructions, so that they stand apart by what lies between two reads.
    assert clock_mhz(counts) == pytest.approx(CONSTANT_CLOCK_HZ / 1e6, rel=0.05)


def test_mhz_of_counts() -> None:
    counts = np.array([1000, 50, 1000 + 420_000, 50 + 20_000], np.uint64)
    assert clock_mhz(counts) == pytest.approx(2100)
    assert clock_mhz(np.zeros(4, np.uint64)) == 0
