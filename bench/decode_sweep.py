"""Sweep decode attention on the emulator: random shapes, caches, tables, masks, splits, data and head sizes.

    python bench/decode_sweep.py cases [--count 100] [--seed 0] [--first 0]
    python bench/decode_sweep.py counts    # bytes and segments of the cache that are read, bytes in flight, beside ideal

Prints each failure and a summary; exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.decode_runs import Case, make_problem, random_case, run_decode

from hkasm.errors import HkasmError

ARCHS = ("gfx942", "gfx950")
SIZES = (64, 128, 256, 32, 40, 72, 96, 136, 200)


def sweep_cases(first: int, count: int, seed: int) -> int:
    """Run random cases, on both archs in turn; returns the number of failures."""
    failures, worst, kinds = 0, Counter[str](), Counter[str]()
    for number in range(first, first + count):
        case = random_case(np.random.default_rng([seed, number]), SIZES)
        arch = ARCHS[number % 2]
        try:
            report, comparisons, _ = run_decode(arch, case, number)
            text = "; ".join(str(one) for one in comparisons if not one.passed)
            text += "; ".join(map(str, report.findings))
            if conflicts := report.counters["SQ_LDS_BANK_CONFLICT"]:
                text += f"; {conflicts} bank conflicts"
            for one in comparisons:
                worst[one.name] = max(worst[one.name], one.worst)
        except HkasmError as error:
            text = str(error)
        kinds[f"{arch} {case['dtype']} {case['cache']} {case['mask']}"] += 1
        if text:
            failures += 1
            print(f"FAIL {number} {arch} {case}: {text}", flush=True)
    for kind in sorted(kinds):
        print(f"{kind}: {kinds[kind]} cases")
    print(f"{count} cases, {failures} failures; largest errors in units of what is tolerated: {dict(worst)}")
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cases", "counts"))
    parser.add_argument("--count", type=int, default=100, help="random cases")
    parser.add_argument("--first", type=int, default=0, help="the first case's number")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    begun = time.perf_counter()
    failures = sweep_cases(words.first, words.count, words.seed)
    print(f"{time.perf_counter() - begun:.0f} s")
    raise SystemExit(1 if failures else 0)
