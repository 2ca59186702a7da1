"""Run a seeded sample of the GEMM family on the emulator, strict, against float64.

    python bench/gemm_family.py [--count 600] [--seed 0] [--only NAME=VALUE,VALUE ...] [--schedules]

Each case draws an arch, a declared configuration (types, transposes, tile, schedule, epilogue, batch), a shape of odd
and even sizes, pitches, alignment and data; `--only` draws a parameter (or ``arch``) from some values. `--schedules`
runs each case under all schedules of its tile, which must give the same bits. Prints each failure and a summary; exit
code 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.gemm_family import by_schedule, draw, is_right, run

from hkasm.errors import HkasmError


def main() -> int:
    """Run the sample."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", action="append", default=[], help="NAME=VALUE,VALUE: what to draw from")
    parser.add_argument("--schedules", action="store_true", help="compare the bits of all schedules")
    words = parser.parse_args()
    only = {name: values.split(",") for name, _, values in (one.partition("=") for one in words.only)}
    begun, failures, schedules = time.perf_counter(), 0, 0
    seen: Counter[str] = Counter()
    for number in range(words.first, words.first + words.count):
        arch, values, shift = draw(np.random.default_rng([words.seed, number]), only)
        try:
            if words.schedules:
                bits = by_schedule(arch, values, shift, seed=number)
                schedules += len(bits)
                text = "" if len(set(bits.values())) == 1 else f"bits differ between {', '.join(bits)}"
            else:
                comparisons = run(arch, values, shift, seed=number)
                text = "" if is_right(values, comparisons) else "; ".join(str(one) for one in comparisons)
        except (HkasmError, AssertionError) as error:
            text = str(error) or repr(error)
        seen[f"{arch} {values['dtype']} {values['trans']} {values['schedule']}"] += 1
        if text:
            failures += 1
            said = ",".join(f"{name}={value}" for name, value in values.items())
            print(f"FAIL {number} {arch} {said} shift={shift}: {text}", flush=True)
    for name, count in sorted(seen.items()):
        print(f"{count:4d} {name}")
    ran = f" under {schedules} schedules" if words.schedules else ""
    print(f"{words.count} cases{ran}, {failures} failures, {time.perf_counter() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
