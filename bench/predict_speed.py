"""How long predictions take: one GEMM in a process of its own, and a sweep on all cores.

    python bench/predict_speed.py [--points 200] [--chip mi355x]

Exits with 1 if a GEMM takes more than 3 s of CPU time (its clock time on a machine that does nothing else), or if a
point fails.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from itertools import islice, product
from pathlib import Path

from hkasm.ops.predict import Point, predict_many

LIMIT_SECONDS = 3.0
ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Print both times; returns the exit code."""
    parser = argparse.ArgumentParser(description="time predictions")
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--chip", default="mi355x")
    options = parser.parse_args()
    sizes = [word for name in "mnk" for word in ("-p", f"{name}=8192")]
    command = [sys.executable, "-m", "hkasm", "predict", "gemm", "--chip", options.chip, *sizes, "--json"]
    began = time.perf_counter()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    one = used.ru_utime + used.ru_stime
    print(f"one GEMM, 8192^3, whole process: {one:.2f} s of CPU time, {time.perf_counter() - began:.2f} s")
    sides = range(256, 8192 + 1, 256)
    points: list[Point] = [
        ("gemm", options.chip, None, {"m": m, "n": n, "k": k})
        for k, m, n in islice(product((1024, 4096), sides, sides[::8]), options.points)
    ]
    began = time.perf_counter()
    found = predict_many(points, done=lambda number: print(f"\r{number}/{len(points)}", end="", flush=True))
    took = time.perf_counter() - began
    failed = sum("error" in point for point in found)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    each = (used.ru_utime + used.ru_stime - one) / len(points)
    print(
        f"\rsweep of {len(points)} points on {os.cpu_count()} cores: {took:.1f} s, {failed} failed, "
        f"{each:.2f} s of CPU time each"
    )
    return 1 if one > LIMIT_SECONDS or failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
