"""The library's GEMM in an order of one's own: nothing is fetched in the phase that reads most.

python examples/gemm_schedule.py [out.hsaco]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.kernels import get_kernel
from hkasm.schedules import Phase, Schedule


class LateFetch(Schedule):
    """A double buffer over quarters of a tile, halves of A by halves of B."""

    name = "late-fetch"
    depth = 2

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("B0", "A0"), compute="C00")
        yield Phase(read=("B1",), fetch=(("B0", k + 1), ("A0", k + 1)), compute="C01")
        yield Phase(read=("A1",), fetch=(("B1", k + 1), ("A1", k + 1)), compute="C10")
        yield Phase(compute="C11")


def main(path: str = "") -> None:
    """Build, launch on the emulator, compare; keep the code object where a path says so."""
    arch = "gfx950"  # whose GEMM has two buffers and loads straight to LDS
    kernel = get_kernel("gemm")
    shape = {"m": 200, "n": 136, "k": 320, "data": "integers"}
    values = shape | {"out": "f32", "tile": "128x128", "schedule": "interleave-lean"}
    problem = kernel.problem_on(arch, values)
    arrays = problem.inputs() | problem.outputs()
    device = hkasm.device("emulator")
    buffers = {name: device.buffer(array) for name, array in arrays.items()}
    launch = problem.launch()
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    code = build_hsaco(kernel.write(arch, kernel.config(**values), schedule=LateFetch()))
    device.load(code).kernels["gemm"].launch(launch.grid, launch.block, args)
    want = problem.reference(arrays)
    got = buffers["C"].numpy().reshape(want.shape)
    print(f"{arch}: {(got == want).sum()} of {want.size} elements are right")
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
