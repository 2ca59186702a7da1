"""Sweep attention on the emulator: every declared combination of type, head size, mask, lengths, schedule and arch.

    python bench/attention_sweep.py [--count 432] [--seed 0] [--first 0]

Case n has combination n of a seeded order (they repeat), and shapes, strides and data of its own. Every fourth case has
loads landing and waves going at random. A case fails by any finding, bank conflict or element outside what float64
allows, or when its largest error is more than 1.5 times that of the same algorithm in NumPy with the same roundings.
Prints each failure and a summary; exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.attention_runs import declared, random_case, run_attention

from hkasm.emulator.options import Options
from hkasm.errors import HkasmError

SIZES = (64, 128, 256, 40, 72, 96, 200)
FACTOR = 1.5
LEAST = 0.02
"""Errors, in tolerances, below which nobody compares: those of a handful of last bits."""


def main() -> int:
    """Run the cases; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=432, help="random cases")
    parser.add_argument("--first", type=int, default=0, help="the first case's number")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    begun, failures = time.perf_counter(), 0
    worst, ratios = {"O": 0.0, "LSE": 0.0}, {"O": 0.0, "LSE": 0.0}
    combinations = declared(SIZES)
    order = np.random.default_rng(words.seed).permutation(len(combinations))
    numbers = range(words.first, words.first + words.count)
    for number in numbers:
        arch, config = combinations[order[number % len(order)]]
        case = config | random_case(np.random.default_rng([words.seed, number]))
        options = Options(landing="random", order="random", seed=number) if number % 4 == 3 else None
        faults = []
        try:
            report, answer = run_attention(arch, case, number, options)
            faults += [str(one) for one in answer.check() if not one.passed]
            faults += map(str, report.findings)
            if conflicts := report.counters["SQ_LDS_BANK_CONFLICT"]:
                faults.append(f"{conflicts} bank conflicts")
            for name, (own, other) in answer.beside_numpy().items():
                worst[name] = max(worst[name], own)
                ratio = max(own, LEAST) / max(other, LEAST)
                ratios[name] = max(ratios[name], ratio)
                if ratio > FACTOR:
                    faults.append(f"{name} off by {own:.3f} of the tolerance, {other:.3f} in NumPy")
        except HkasmError as error:
            faults.append(str(error))
        if faults:
            failures += 1
            print(f"FAIL {number} {arch} {case}: {'; '.join(faults)}", flush=True)
    covered = len({int(order[number % len(order)]) for number in numbers})
    print(f"{words.count} cases, {covered} of {len(order)} combinations, {failures} failures")
    print(f"largest errors, in tolerances: {worst}; largest ratios to NumPy's: {ratios}")
    print(f"{time.perf_counter() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
