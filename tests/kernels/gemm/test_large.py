"""Tensors of more than 4 GiB: rows 8 MiB apart, in memory that exists where it is touched."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from hkasm.asm.toolchain import Toolchain, build_hsaco
from hkasm.kernels import get_kernel
from hkasm.runtime import EmulatorDevice

PITCH = 1 << 22
"""Elements from line to line: 8 MiB of bf16, the most that is allowed."""


@pytest.mark.parametrize(("arch", "trans", "m", "k"), [("gfx942", "NN", 60, 600), ("gfx950", "TN", 600, 70)])
def test_operands_of_more_than_four_gibibytes(arch: str, trans: str, m: int, k: int, toolchain: Toolchain) -> None:
    n = 20
    kernel = get_kernel("gemm")
    values = {"m": m, "n": n, "k": k, "trans": trans, "tile": "64x64", "out": "f32", "lda": PITCH, "work": "tiles"}
    problem = kernel.problem(**values)
    random = np.random.default_rng(1)
    a, b = random.integers(-4, 5, (m, k)), random.integers(-4, 5, (n, k))
    assert problem.size("A") * 2 > 1 << 32
    with EmulatorDevice() as device:
        memory = device.memory.allocate(2 * problem.size("A"), "A")
        flat = memory.u8[: memory.size].view(ml_dtypes.bfloat16)
        for line, row in enumerate(a if trans == "TN" else a.T):
            flat[line * PITCH : line * PITCH + row.size] = row
        second = device.buffer(b.astype(ml_dtypes.bfloat16), "B")
        result = device.buffer(np.full((m, n), np.nan, np.float32), "C")
        places = {"A": memory.address, "B": second.address, "C": result.address}
        launch = problem.launch()
        args = [places[arg] if isinstance(arg, str) else arg for arg in launch.args]
        entry = device.load(build_hsaco(kernel.build(arch, **values))).kernels["gemm"]
        assert entry.launch(launch.grid, launch.block, args).findings == []
        assert (result.numpy() == a @ b.T).all()
