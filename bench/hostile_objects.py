"""Load and launch damaged and lying code objects; nothing but a result or a house error may come of them.

    python bench/hostile_objects.py --count 2000 --seed 0
    python bench/hostile_objects.py --count 20000

Cases run in child processes with bounded memory. A case fails if it ends in anything but a result or an HkasmError, if
it takes far longer than its limits, or if its process dies.
"""

from __future__ import annotations

import argparse
import os
import resource
import select
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.hostile import MAX_SECONDS, run_case  # noqa: E402

CHUNK = 250
MEMORY_BYTES = 3 << 30
PATIENCE = 20.0 + 10 * MAX_SECONDS
"""Seconds of processor time without a finished case after which a child counts as hung."""
MOST_IDLE = 30
"""Times that a child may let `PATIENCE` pass in real time, for it may wait for something that never comes."""
SLOW = 4 * MAX_SECONDS
"""Seconds of processor time after which a case has outrun its own limits (two kernels, each with `MAX_SECONDS`)."""


def child(first: int, count: int) -> int:
    """Run cases in this process and print one line for each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for seed in range(first, first + count):
        began = time.process_time()
        verdict = run_case(seed)
        spent = time.process_time() - began
        kind = "slow" if verdict.kind != "crash" and spent > SLOW else verdict.kind
        print(seed, verdict.harm, kind, f"{spent:.2f}", verdict.detail.replace("\n", " ")[:300], flush=True)
    return 0


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used, by Linux's /proc; anywhere else the time of day."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def run_chunk(first: int, count: int) -> list[tuple[int, str, str, str]]:
    """Run cases in a child; returns (seed, harm, kind, detail), with `died` or `hung` for what ended it."""
    command = [sys.executable, __file__, "--child", "--seed", str(first), "--count", str(count)]
    results: list[tuple[int, str, str, str]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        if process.stdout is None:
            raise RuntimeError("a child without output")
        kind, began, idle = "died", 0.0, 0
        while True:
            ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
            if not ready:
                idle += 1
                if processor_seconds(process.pid) - began < PATIENCE and idle < MOST_IDLE:
                    continue  # others use the machine
                kind = "hung"
                process.kill()
                break
            began, idle = processor_seconds(process.pid), 0
            line = process.stdout.readline()
            if not line:
                break
            seed, harm, verdict, seconds, *detail = line.rstrip("\n").split(" ", 4)
            results.append((int(seed), harm, verdict, f"{seconds} s {' '.join(detail)}"))
    if len(results) < count:
        results.append((first + len(results), "?", kind, f"exit code {process.returncode}"))
        done = len(results)
        if done < count:
            results += run_chunk(first + done, count - done)
    return results


def main() -> int:
    """Run the chosen cases; exit 1 when one fails."""
    parser = argparse.ArgumentParser(description="damaged and lying code objects on the emulator")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0, help="start no chunk after this time")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        return child(chosen.seed, chosen.count)
    began = time.perf_counter()
    counts: Counter[tuple[str, str]] = Counter()
    failed = 0
    end = chosen.seed + chosen.count
    for first in range(chosen.seed, end, CHUNK):
        for seed, harm, kind, detail in run_chunk(first, min(CHUNK, end - first)):
            counts[harm, kind] += 1
            if kind not in ("ran", "refused", "stopped"):
                failed += 1
                print(f"{kind} seed {seed} {harm}: {detail}", flush=True)
        spent = time.perf_counter() - began
        print(f"{sum(counts.values())} cases, {failed} failed, {spent:.0f} s", file=sys.stderr, flush=True)
        if chosen.seconds and spent > chosen.seconds:
            break
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    for (harm, kind), number in sorted(counts.items()):
        print(f"  {harm:16s} {kind:8s} {number}")
    total, spent = sum(counts.values()), time.perf_counter() - began
    print(f"{total} cases, {failed} failed, largest child {peak:.0f} MiB, {spent:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
