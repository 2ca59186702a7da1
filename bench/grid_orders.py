"""The emitted order code against the Python function, for random orders and workgroups on the emulator.

    python bench/grid_orders.py [--cases 100000] [--seed 0]

Every case is an order (rows, columns, window, chunk) and one of its workgroups; XCD numbers run from 1 to 16, with
equal shares and with shares of random weights (some of whose workgroups have no tile), blocks in both directions.
Prints mismatches, and exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.orders import emulated, machine, random_cases

BATCH = 1563
"""Workgroups a launch: 64 launches of them are 100,000."""


def main() -> int:
    """Run the cases; returns the exit code."""
    parser = argparse.ArgumentParser(description="emitted grid orders against the Python function")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    began, done, wrong, launch = time.perf_counter(), 0, 0, 0
    while done < options.cases:
        xcds, unequal, back = launch % 16 + 1, bool(launch // 16 % 2), bool(launch // 32 % 2)
        count = min(BATCH, options.cases - done)
        orders, asked = random_cases(random, count, xcds, back, unequal=unequal)
        want = [order.tile(int(w)) or (-1, -1) for order, w in zip(orders, asked, strict=True)]
        found = emulated(machine(xcds, back, unequal=unequal), orders, asked).tolist()
        bad = [(o, int(w)) for o, w, a, b in zip(orders, asked, want, found, strict=True) if list(a) != b]
        for order, w in bad[:3]:
            print(f"wrong: {order}, workgroup {w}")
        wrong, done, launch = wrong + len(bad), done + count, launch + 1
    print(f"{done} cases, {launch} launches, {wrong} wrong, {time.perf_counter() - began:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
