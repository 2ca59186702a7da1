"""Time hkasm's build + assemble + link of the GEMM against triton.compile of the same tile, in one run.

Needs Triton in the same environment (`pip install triton`; no GPU, no torch). Run from anywhere:

    python bench/build_vs_triton.py [--arch gfx950] [--repeat 7] [--limit 0.2]

Both sides start from Python objects and end with the bytes of a linked code object, with every cache off: Triton
compiles into a fresh cache folder with always-compile on, hkasm keeps nothing of a kernel between builds. One untimed
round of each side pays for imports, for finding the toolchain, and for what a running Python knows from then on (hkasm:
which operands fit which instruction, hazards by instruction shape; Triton: its dialects and passes); then the sides
alternate.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

TILE = (256, 256, 64)
WAVES = 8


def hkasm_side(arch: str) -> Callable[[], bytes]:
    """A function that builds, assembles and links hkasm's GEMM from nothing."""
    from hkasm.asm.toolchain import build_hsaco
    from hkasm.kernels import get_kernel

    def build() -> bytes:
        return build_hsaco(get_kernel("gemm").build(arch=arch))

    return build


def triton_side(arch: str, cache: str) -> Callable[[], bytes]:
    """A function that compiles Triton's GEMM of the same tile and waves from nothing."""
    os.environ["TRITON_CACHE_DIR"] = cache
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    root = Path(__file__).resolve().parents[1]
    sys.path.insert(0, str(root / "tools"))
    from triton_cases import cases
    from triton_oracles import compile_case, load_kernels

    name = f"gemm_bf16_nt_{TILE[0]}x{TILE[1]}x{TILE[2]}_w{WAVES}_{arch}"
    case = next(case for case in cases() if case.label == name)
    kernels = load_kernels(root)

    def build() -> bytes:
        return bytes(compile_case(kernels, case).asm["hsaco"])

    return build


def cpu_seconds() -> float:
    """CPU seconds of this process and of the programs that it has run so far."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(times.ru_utime + times.ru_stime for times in used)


def measure(function: Callable[[], bytes]) -> tuple[float, float, int]:
    """Wall seconds and CPU seconds of one call, and the size of what it gave."""
    cpu, began = cpu_seconds(), time.perf_counter()
    size = len(function())
    return time.perf_counter() - began, cpu_seconds() - cpu, size


def main() -> int:
    """Time both sides and print medians and the ratio; exit 1 when the ratio is above the limit."""
    parser = argparse.ArgumentParser(description="hkasm's GEMM build against triton.compile, in one run")
    parser.add_argument("--arch", default="gfx950", choices=("gfx942", "gfx950"))
    parser.add_argument("--repeat", type=int, default=7, help="timed rounds of each side")
    parser.add_argument("--limit", type=float, default=0.2, help="highest allowed ratio hkasm / Triton")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as cache:
        sides = {"hkasm": hkasm_side(options.arch), "triton": triton_side(options.arch, cache)}
        for side in sides.values():
            side()
        rounds: dict[str, list[tuple[float, float, int]]] = {name: [] for name in sides}
        for _ in range(options.repeat):
            for name, side in sides.items():
                rounds[name].append(measure(side))

    import triton

    print(f"bf16 GEMM, {TILE[0]}x{TILE[1]}x{TILE[2]}, {WAVES} waves, {options.arch}; triton {triton.__version__}")
    print(f"{options.repeat} rounds, caches off, from Python objects to a linked code object; seconds")
    wall, cpu = ({name: statistics.median(r[i] for r in rounds[name]) for name in sides} for i in (0, 1))
    for name in sides:
        every = sorted(r[0] for r in rounds[name])
        print(
            f"  {name:7s} wall median {wall[name]:.4f} (from {every[0]:.4f} to {every[-1]:.4f}), "
            f"CPU median {cpu[name]:.4f}, {rounds[name][0][2]} bytes"
        )
    ratio = wall["hkasm"] / wall["triton"]
    verdict = "PASS" if ratio <= options.limit else "FAIL"
    print(
        f"ratio hkasm / triton {ratio:.3f} (CPU {cpu['hkasm'] / cpu['triton']:.3f}; limit {options.limit}): {verdict}"
    )
    return 0 if verdict == "PASS" else 1


if __name__ == "__main__":
    raise SystemExit(main())
