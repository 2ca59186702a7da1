"""Mutate the kernels on rows and decode attention: waits removed, waits looser by one, barriers removed.

    python bench/kernel_mutations.py [--subject NAME ...] [--arch gfx942] [--each 0] [--seed 0] [--verbose]

Each mutant is launched strictly on the emulator. Counted are those that a check reports, those that only a wrong result
shows, and those that nothing finds. Exit code 1 when one is not reported.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.kernel_mutants import ARCHS, labels, sample, subject


def main() -> int:
    """Judge the mutants and print one row for each subject and arch."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subject", action="append", choices=labels("gfx950"), help="kernel (default: all)")
    parser.add_argument("--arch", action="append", choices=ARCHS, help="arch (default: both)")
    parser.add_argument("--each", type=int, default=0, help="mutants of each kind and kernel, 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="print every mutant")
    words = parser.parse_args()
    begun, total = time.perf_counter(), Counter[str]()
    for arch in words.arch or ARCHS:
        for label in (one for one in labels(arch) if one in (words.subject or labels(arch))):
            one = subject(label, arch)
            counts = Counter[str]()
            if (untouched := one.verdict(one.hsaco)) != "missed":
                print(f"{untouched} {arch} {label}: unmutated", flush=True)
                counts["missed"] += 1
            for kind, name, hsaco in sample(one, words.each, words.seed):
                found = one.verdict(hsaco)
                counts[found] += 1
                if found != "reported" or words.verbose:
                    print(f"{found} {arch} {label}: {kind}: {name}", flush=True)
            print(f"{arch} {label}: {dict(counts)}", flush=True)
            total += counts
    print(f"{total.total()} mutants, {dict(total)}, {time.perf_counter() - begun:.0f} s")
    return 1 if total["wrong"] or total["missed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
