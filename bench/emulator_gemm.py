"""Time the emulated bf16 GEMM, all checks on, against NumPy's float32 `A @ B.T` of the same shape, in one run.

    python bench/emulator_gemm.py [--arch gfx950] [--size 1024] [--repeat 3] [--limit 100]

What is timed on hkasm's side is the launch of a loaded code object, from the first wave to the last store, with the
emulator's default (strict) options; NumPy's side is one matrix product of float32 arrays. Both use as many BLAS
threads as the environment gives them. The first launch also pays for compiling the kernel's instructions; the median
is what counts. The emulated product must agree with float64.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

import hkasm
from hkasm.asm.toolchain import build_hsaco
from hkasm.kernels import get_kernel


def numpy_seconds(a: np.ndarray, b: np.ndarray, repeat: int) -> list[float]:
    """Wall seconds of `a @ b.T`, after one untimed product."""
    a @ b.T
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        a @ b.T
        times.append(time.perf_counter() - began)
    return times


def main() -> int:
    """Time both sides and print medians and the ratio; exit 1 when the ratio is above the limit."""
    parser = argparse.ArgumentParser(description="the emulated GEMM against NumPy's, in one run")
    parser.add_argument("--arch", default="gfx950", choices=("gfx942", "gfx950"))
    parser.add_argument("--size", type=int, default=1024, help="M = N = K")
    parser.add_argument("--repeat", type=int, default=3, help="timed launches")
    parser.add_argument("--limit", type=float, default=100.0, help="highest allowed ratio emulator / NumPy")
    options = parser.parse_args()
    n = options.size

    gemm = get_kernel("gemm")
    problem = gemm.problem(m=n, n=n, k=n)
    launch = problem.launch()
    inputs, outputs = problem.inputs(), problem.outputs()
    device = hkasm.device("emulator")
    program = gemm.build(arch=options.arch)
    kernel = device.load(build_hsaco(program)).kernels[program.name]
    buffers = {name: device.buffer(array) for name, array in {**inputs, **outputs}.items()}
    args = [buffers[arg] if isinstance(arg, str) else arg for arg in launch.args]
    emulated = []
    for _ in range(options.repeat):
        began = time.perf_counter()
        kernel.launch(grid=launch.grid, block=launch.block, args=args)
        emulated.append(time.perf_counter() - began)
    comparisons = problem.check(inputs, {name: buffers[name].numpy() for name in outputs})
    for comparison in comparisons:
        print(comparison)
    if not all(comparison.passed for comparison in comparisons):
        return 1
    a, b = (inputs[name].reshape(n, n).astype(np.float32) for name in "AB")
    native = numpy_seconds(a, b, max(options.repeat, 10))

    slow, fast = statistics.median(emulated), statistics.median(native)
    print(f"{n}x{n}x{n} bf16 GEMM on the {options.arch} emulator, all checks on; NumPy {np.__version__} float32")
    print(f"  emulator median {slow:.4f} s of {len(emulated)}: {', '.join(f'{t:.3f}' for t in emulated)}")
    print(f"  numpy    median {fast:.5f} s of {len(native)}")
    verdict = "PASS" if slow <= options.limit * fast else "FAIL"
    print(f"ratio emulator / numpy {slow / fast:.1f} (limit {options.limit:g}): {verdict}")
    return 0 if verdict == "PASS" else 1


if __name__ == "__main__":
    raise SystemExit(main())
