"""Schedules of the library's GEMM against each other at 8192^3, predicted, with where the clocks go.

python bench/model_schedules.py [--chip mi355x] [--side 8192] [-p NAME=VALUE ...]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.model_loops import (
    Tile,
    interleaved,
    pingpong,
    registers_left,
    run,
    run_pingpong,
    run_specialised,
)

from hkasm.errors import HkasmError
from hkasm.kernels import get_kernel
from hkasm.model.chips import get_chip
from hkasm.ops.predict import predict_kernel


def main() -> int:
    """Print one line a schedule; returns the exit code."""
    parser = argparse.ArgumentParser(description="predict the GEMM's schedules")
    parser.add_argument("--chip", default="mi355x")
    parser.add_argument("--side", type=int, default=8192)
    parser.add_argument("-p", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    described()
    chip, side = get_chip(options.chip), options.side
    values: dict[str, object] = dict(pair.split("=", 1) for pair in options.p)
    tiles = [values.pop("tile")] if "tile" in values else ["256x256", "128x256", "128x128"]
    schedule = next(one for one in get_kernel("gemm").parameters() if one.name == "schedule")
    for tile in tiles:
        for name in (one for one in schedule.choices if one != "auto"):
            try:
                found = predict_kernel("gemm", chip, m=side, n=side, k=side, schedule=name, tile=tile, **values)
            except HkasmError as error:
                print(f"{tile:8} {name:18} {str(error).splitlines()[0]}")
                continue
            low, high = found.performance.tflops_range
            lost = ", ".join(f"{reason} {clk:.0f}" for reason, clk in list(found.cycles.reasons().items())[:4])
            loop, speed = 100 * found.cycles.loop_efficiency, found.performance.tflops
            print(f"{tile:8} {name:18} loop {loop:5.1f} %, {found.cycles.period:.0f} clk, {found.resident} a CU, "
                  f"{speed:.0f} TFLOPS ({low:.0f} to {high:.0f}), {found.performance.bound}; {lost}")  # fmt: skip
    return 0


def described() -> None:
    """Print the three schedules' loops, and why the specialised one has the smaller tile."""
    big, small = Tile(256, 256), Tile(128, 256)
    for name, cycles, spare in (
        ("8-wave ping-pong, 256x256", run_pingpong("gfx950", pingpong()), registers_left(big, 8, 8)),
        ("4-wave interleave, 256x256", run("gfx950", interleaved(big), 4), registers_left(big, 4, 4)),
        ("4 producers + 8, 256x256", run_specialised(big), registers_left(big, 12, 8)),
        ("4 producers + 8, 128x256", run_specialised(small), registers_left(small, 12, 8)),
    ):
        fits = f"{spare} registers to spare" if spare >= 0 else f"{-spare} registers too many: no such kernel"
        lost = ", ".join(f"{reason} {clk:.0f}" for reason, clk in list(cycles.reasons().items())[:3])
        print(f"{name:28} loop {100 * cycles.loop_efficiency:5.1f} %, {fits}; {lost}")


if __name__ == "__main__":
    raise SystemExit(main())
