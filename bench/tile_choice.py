"""The tile that the GEMM's selector takes beside the one that the cycle model finds soonest done, over some shapes.

    python bench/tile_choice.py [--cases 30] [--seed 0]

Prints for each shape both tiles with the model's microseconds, and the mean and the worst ratio of the two.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import replace
from statistics import fmean

from hkasm.errors import HkasmError
from hkasm.kernels import get_kernel
from hkasm.kernels.gemm.choice import choose
from hkasm.kernels.gemm.declared import declared_tiles
from hkasm.model.chips import get_chip
from hkasm.ops.predict import predict_kernel

SIDES = (1, 16, 64, 100, 256, 500, 1000, 1024, 2048, 3000, 4096, 5000, 8192)
TYPES = {"mi355x": ("bf16", "fp8", "mxfp8", "mxfp4"), "mi300x": ("bf16", "fp8")}
LONGEST = 3e11
"""Products of a case at most, so that none takes the model long."""


def main() -> int:
    """Print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description="the selector's tiles against the cycle model's")
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, ratios = random.Random(options.seed), []
    while len(ratios) < options.cases:
        name = rng.choice(list(TYPES))
        dtype, m, n = rng.choice(TYPES[name]), rng.choice(SIDES), rng.choice(SIDES)
        k = max(64, rng.choice(SIDES) // 32 * 32)
        if m * n * k > LONGEST:
            continue
        chip = get_chip(name)
        config = replace(get_kernel("gemm").config(dtype=dtype), work="tiles")
        taken = choose(config, {"m": m, "n": n, "k": k, "count": 1, "workers": 0}, chip.arch).tile
        seconds = {}
        for tile in declared_tiles(config, chip.arch):
            try:
                found = predict_kernel("gemm", chip, dtype=dtype, m=m, n=n, k=k, tile=tile, work="tiles")
            except HkasmError:
                continue
            seconds[tile] = found.performance.seconds * 1e6
        best = min(seconds, key=lambda tile: seconds[tile])
        ratios.append(seconds[taken] / seconds[best])
        print(f"{name} {dtype:5} {m:5} x {n:5} x {k:5}  takes {taken:7} {seconds[taken]:8.1f} us  "
              f"soonest {best:7} {seconds[best]:8.1f} us  {ratios[-1]:.2f}", flush=True)  # fmt: skip
    print(f"{len(ratios)} shapes: {fmean(ratios):.3f} times the soonest on average, {max(ratios):.2f} at most")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
