"""Sweep the kernels on rows on the emulator: random element types, lengths, pitches, alignments and options.

    python bench/rows_sweep.py [--count 600] [--seed 0] [--kernel softmax]

Prints each failure and a summary by kernel and arch; exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.rows_runs import ARCHS, KERNELS, random_case, run

from hkasm.errors import HkasmError


def main() -> int:
    """Run the sweep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=600, help="random cases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kernel", choices=KERNELS, help="this one alone")
    words = parser.parse_args()
    kernels = [words.kernel] if words.kernel else list(KERNELS)
    begun, done, failures = time.perf_counter(), Counter[str](), 0
    for number in range(words.count):
        name, arch = kernels[number // len(ARCHS) % len(kernels)], ARCHS[number % len(ARCHS)]
        values, shift = random_case(np.random.default_rng([words.seed, number]), name, arch)
        try:
            _, comparisons, _ = run(name, arch, values, shift=shift, seed=number)
            text = "; ".join(str(one) for one in comparisons if not one.passed)
        except HkasmError as error:
            text = str(error)
        done[f"{name} {arch} {values['dtype']}"] += 1
        if text:
            failures += 1
            print(f"FAIL {name} {arch} {values} shift={shift}: {text}", flush=True)
    for label in sorted(done):
        print(f"{label}: {done[label]} cases")
    print(f"{words.count} cases, {failures} failures, {time.perf_counter() - begun:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
