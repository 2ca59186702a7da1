"""Sweep the GEMM on the emulator: random shapes, pitches, alignments and data, then mutants of its code.

    python bench/gemm_sweep.py cases [--count 600] [--seed 0]
    python bench/gemm_sweep.py waits       # every derived wait removed, one at a time
    python bench/gemm_sweep.py loosened    # every counter of every derived wait looser by one

Prints each failure or missed mutant and a summary; exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.gemm_runs import Gemm, is_right, random_case

from hkasm.errors import HkasmError

ARCHS = ("gfx942", "gfx950")


def sweep_cases(count: int, seed: int) -> int:
    """Run random cases on both archs and with accumulators in both files; returns the number of failures."""
    kernels = [Gemm(arch, acc) for arch in ARCHS for acc in ("agpr", "vgpr")]
    failures = 0
    for number in range(count):
        case, shift = random_case(np.random.default_rng([seed, number]))
        gemm = kernels[number % len(kernels)]
        try:
            _, comparisons = gemm.run(case, shift=shift, seed=number)
            text = "" if is_right(case, comparisons) else "; ".join(str(one) for one in comparisons)
        except HkasmError as error:
            text = str(error)
        if text:
            failures += 1
            print(f"FAIL {gemm.arch} acc={gemm.acc} {case} shift={shift}: {text}")
    print(f"{count} cases, {failures} failures")
    return failures


def sweep_mutants(kind: str) -> int:
    """Try all mutants of a kind on both archs; returns the number of those that were not reported."""
    failures = 0
    for arch in ARCHS:
        gemm = Gemm(arch)
        count: dict[str, int] = {}
        for mutant in gemm.loosened() if kind == "loosened" else gemm.without_waits():
            verdict = gemm.verdict(mutant)
            count[verdict] = count.get(verdict, 0) + 1
            if verdict != "reported":
                failures += 1
                print(f"{verdict} {arch}: {mutant.name}", flush=True)
        print(f"{arch} {kind}: {sum(count.values())} mutants, {count}", flush=True)
    return failures


def main() -> int:
    """Run one sweep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cases", "waits", "loosened"))
    parser.add_argument("--count", type=int, default=600, help="random cases")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    begun = time.perf_counter()
    failures = sweep_cases(words.count, words.seed) if words.what == "cases" else sweep_mutants(words.what)
    print(f"{time.perf_counter() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
