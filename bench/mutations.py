"""Mutate the machine code of hkasm's and foreign kernels, and count what the emulator sees.

    python bench/mutations.py [--subject NAME ...] [--kind CLASS ...] [--each 0] [--runs 200] [--seed 0] [--verbose]

Waits are loosened by one and removed, barriers and wait states taken out, offsets changed, descriptors shrunk, M0 left
alone or moved. A mutant is caught by a finding or by a wrong result; equivalent only if `--runs` launches of random
landing times and wave orders give identical bits and a replay of its instructions says why; else it is missed. Exit
code 1 when one is missed, or an unmutated kernel has findings.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.mutants import CLASSES, SUBJECTS, judge, mutants_of, sample, subject  # noqa: E402

OUTCOMES = ("finding", "result", "equivalent", "missed")


def main() -> int:
    """Judge the mutants and print one row for each kernel and class."""
    parser = argparse.ArgumentParser(description="mutation benchmark of the emulator")
    parser.add_argument("--subject", action="append", choices=SUBJECTS, help="kernel (default: all)")
    parser.add_argument("--kind", action="append", choices=CLASSES, help="class of mutants (default: all)")
    parser.add_argument("--each", type=int, default=0, help="mutants of each class and kernel, 0 for all")
    parser.add_argument("--runs", type=int, default=200, help="launches before one may be called equivalent")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="print every mutant")
    options = parser.parse_args()
    total: Counter[tuple[str, str]] = Counter()
    print(f"{'kernel':36} {'class':20} {'of':>5} {'judged':>6} " + " ".join(f"{name:>10}" for name in OUTCOMES))
    for name in options.subject or SUBJECTS:
        began = time.perf_counter()
        kernel = subject(name)
        everything = [mutant for mutant in mutants_of(kernel) if mutant.kind in (options.kind or CLASSES)]
        there = Counter(mutant.kind for mutant in everything)
        counts: Counter[tuple[str, str]] = Counter()
        notes = []
        for mutant in sample(everything, options.each, options.seed):
            verdict = judge(kernel, mutant, options.runs, options.seed)
            counts[mutant.kind, verdict.outcome] += 1
            if options.verbose or verdict.outcome in ("missed", "equivalent"):
                notes.append(f"    {verdict.outcome}: {mutant}: {verdict.detail}")
                if options.verbose:
                    print(notes.pop(), flush=True)
        for kind in CLASSES:
            if there[kind]:
                row = [counts[kind, outcome] for outcome in OUTCOMES]
                text = " ".join(f"{count:10}" for count in row)
                print(f"{name:36} {kind:20} {there[kind]:5} {sum(row):6} {text}")
        for note in notes:
            print(note)
        spent = time.perf_counter() - began
        print(
            f"  unmutated: 0 findings in {len(kernel.cases)} launches, "
            f"{kernel.unmutated_hazards} hazards; {spent:.0f} s"
        )
        total += counts
        total["hazards", "missed"] += kernel.unmutated_hazards
        sys.stdout.flush()
    print("all kernels")
    for kind in (*CLASSES, "hazards"):
        row = [total[kind, outcome] for outcome in OUTCOMES]
        if sum(row):
            print(
                f"  {kind:20} " + " ".join(f"{outcome} {count}" for outcome, count in zip(OUTCOMES, row, strict=True))
            )
    return 1 if any(count for (_, outcome), count in total.items() if outcome == "missed") else 0


if __name__ == "__main__":
    raise SystemExit(main())
