"""A GEMM with an epilogue of one's own: leaky ReLU on the sums, before they are rounded.

python examples/gemm_epilogue.py [gfx950] [tiles|stream]
"""

from __future__ import annotations

import sys

import numpy as np

import hkasm
from hkasm.asm.builder import Builder
from hkasm.asm.toolchain import build_hsaco
from hkasm.isa.registers import Register
from hkasm.kernels import get_kernel


def leaky_relu(k: Builder, values: list[Register], free: list[Register]) -> None:
    """Write max(x, x / 8); `free` are as many registers as there are values."""
    for value, other in zip(values, free, strict=True):
        k.v_mul_f32(other, 0.125, value)
    for value, other in zip(values, free, strict=True):
        k.v_max_f32(value, value, other)


def main(arch: str = "gfx950", work: str = "tiles") -> None:
    """Build, launch on the emulator, compare with NumPy."""
    kernel = get_kernel("gemm")
    shape = {"m": 100, "n": 72, "k": 320, "data": "integers", "workers": 3}
    values = shape | {"out": "f32", "tile": "64x64", "work": work}
    problem = kernel.problem_on(arch, values)
    arrays = problem.inputs() | problem.outputs()
    device = hkasm.device("emulator")
    buffers = {name: device.buffer(array) for name, array in arrays.items()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    code = build_hsaco(kernel.write(arch, kernel.config(**values), leaky_relu))
    device.load(code).kernels["gemm"].launch(launch.grid, launch.block, args)
    product = problem.reference(arrays)
    want = np.maximum(product, product / 8).astype(np.float32)
    got = buffers["C"].numpy().reshape(want.shape)
    print(f"{arch}, work={work}: {(got == want).sum()} of {want.size} elements are right")


if __name__ == "__main__":
    main(*sys.argv[1:])
