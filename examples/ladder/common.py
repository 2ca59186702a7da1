"""What the steps of the ladder share: build a kernel, launch it on the emulator, return what the emulator counted."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import hkasm


def arch() -> str:
    """Return the architecture named on the command line, or gfx950."""
    return sys.argv[1] if len(sys.argv) > 1 else "gfx950"


def launch(kernel: Callable[[hkasm.Builder], None], grid: tuple[int, ...], block: tuple[int, ...], *args: object):
    """Build and launch a kernel; NumPy arrays are copied to the device, and back if the kernel writes to them."""
    program = hkasm.build(kernel, arch=arch(), name="kernel", block=block)
    entry = hkasm.device("emulator").load(hkasm.build_hsaco(program)).kernels[program.name]
    return entry.launch(grid, block, args)


def verdict(got: np.ndarray, want: np.ndarray, tolerance: float = 0.0) -> str:
    """Say how far a result is off; ends the script if it is off too far."""
    error = float(np.abs(got.astype(np.float64) - want).max())
    if not error <= tolerance:
        raise SystemExit(f"wrong: off by {error:.3g}, tolerated {tolerance:.3g}")
    return "exact" if error == 0 else f"largest error {error:.2g}"
