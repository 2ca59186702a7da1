"""Assemble hipBLASLt's hand-tuned products, launch them on the emulator, all checks on, and compare with NumPy.

    python bench/hipblaslt_kernels.py PATH [--match TEXT]

PATH is a checkout of hipBLASLt. One row is printed for each launch, as `bench/aiter_kernels.py` does. Exit code 1
when a result is wrong or something was found.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support import tensile
from support.aiter import run


def main() -> int:
    """Run the cases that are asked for and print a row each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="checkout of hipBLASLt")
    parser.add_argument("--match", default="", help="only cases whose name has this text")
    words = parser.parse_args()
    if not (words.path / tensile.FOLDER).is_dir():
        parser.error(f"{words.path} is no checkout of hipBLASLt: no {tensile.FOLDER} in it")
    chosen = [case for case in tensile.cases(words.path) if words.match in case.name]
    begun, bad = time.perf_counter(), 0
    for case in chosen:
        row = run(words.path, case)
        bad += not row.good
        print(row, flush=True)
    print(f"{len(chosen)} launches, {bad} with a wrong result or findings, {time.perf_counter() - begun:.0f} s")
    return 1 if bad or not chosen else 0


if __name__ == "__main__":
    raise SystemExit(main())
