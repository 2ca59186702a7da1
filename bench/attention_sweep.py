"""Sweep attention on the emulator: random shapes, masks, strides, data and head sizes, then mutants of its code.

    python bench/attention_sweep.py cases [--count 100] [--seed 0] [--first 0]
    python bench/attention_sweep.py waits       # every derived wait removed, one at a time
    python bench/attention_sweep.py loosened    # every counter of every derived wait looser by one
    python bench/attention_sweep.py barriers    # every barrier removed, one at a time

Prints each failure or missed mutant and a summary; exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.attention_runs import mutants, random_case, run_attention, verdict

from hkasm.errors import HkasmError

ARCHS = ("gfx942", "gfx950")
SIZES = (64, 128, 256, 40, 72, 96, 200)


def sweep_cases(first: int, count: int, seed: int) -> int:
    """Run random cases, on both archs in turn; returns the number of failures."""
    failures, worst = 0, {"O": 0.0, "LSE": 0.0}
    for number in range(first, first + count):
        case = random_case(np.random.default_rng([seed, number]), SIZES)
        arch = ARCHS[number % 2]
        try:
            report, comparisons = run_attention(arch, case, number)
            text = "; ".join(str(one) for one in comparisons if not one.passed)
            text += "; ".join(map(str, report.findings))
            if conflicts := report.counters["SQ_LDS_BANK_CONFLICT"]:
                text += f"; {conflicts} bank conflicts"
            for one in comparisons:
                worst[one.name] = max(worst.get(one.name, 0.0), one.worst)
        except HkasmError as error:
            text = str(error)
        if text:
            failures += 1
            print(f"FAIL {number} {arch} {case}: {text}", flush=True)
    print(f"{count} cases, {failures} failures; largest errors in units of what is tolerated: {worst}")
    return failures


def sweep_mutants(kind: str) -> int:
    """Try all mutants of a kind on both archs; returns the number of those that were not reported."""
    failures = 0
    for arch in ARCHS:
        count: dict[str, int] = {}
        for name, hsaco in mutants(arch, kind):
            found = verdict(arch, hsaco)
            count[found] = count.get(found, 0) + 1
            if found != "reported":
                failures += 1
                print(f"{found} {arch}: {name}", flush=True)
        print(f"{arch} {kind}: {sum(count.values())} mutants, {count}", flush=True)
    return failures


def main() -> int:
    """Run one sweep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cases", "waits", "loosened", "barriers"))
    parser.add_argument("--count", type=int, default=100, help="random cases")
    parser.add_argument("--first", type=int, default=0, help="the first case's number")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    begun = time.perf_counter()
    failures = sweep_cases(words.first, words.count, words.seed) if words.what == "cases" else sweep_mutants(words.what)
    print(f"{time.perf_counter() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
