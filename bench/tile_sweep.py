"""Run the tile operations' sweep and print counts by group and operation.

    python bench/tile_sweep.py [--arch gfx950] [--group mma ...] [--seed 0 --legal 100 --refused 50] [--jobs 2]

Legal are the cases that are declared so; each runs on the emulator against its NumPy reference. The others must raise.
Exit code 1 when one fails.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.tilesweep.runner import TOGETHER, Case, Outcome  # noqa: E402
from support.tilesweep.sweep import ARCHS, GROUPS, cases_of, draw, run_drawn  # noqa: E402

REFUSED_A_TASK = 400


def main() -> int:
    """Sweep and print one row for each operation of an arch."""
    parser = argparse.ArgumentParser(description="sweep over tile operations")
    parser.add_argument("--arch", action="append", choices=ARCHS, help="arch (default: both)")
    parser.add_argument("--group", action="append", choices=GROUPS, help="group of operations (default: all)")
    parser.add_argument("--legal", type=int, help="legal cases of each group and arch (default: all)")
    parser.add_argument("--refused", type=int, help="others of each group and arch (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes (default: all cores)")
    options = parser.parse_args()
    began = time.perf_counter()
    print(
        f"{'arch':7} {'group':14} {'operation':12} {'legal':>6} {'run':>6} {'passed':>6} {'others':>6} {'refused':>7}"
    )
    total: Counter[str] = Counter()
    failures: list[str] = []
    with ProcessPoolExecutor(max(options.jobs, 1)) as pool:
        waiting = []
        for arch in options.arch or ARCHS:
            for name in options.group or GROUPS:
                drawn = draw(name, arch, legal=options.legal, refused=options.refused, seed=options.seed)
                waiting.append((arch, name, list(_submit(pool, arch, name, *drawn))))
        for arch, name, tasks in waiting:
            outcomes = [task.result() for task in tasks]
            wrong = [line for outcome in outcomes for line in outcome.failures]
            failures += wrong
            failed = Counter(line.split()[0] for line in wrong)
            run = Counter(case.op for outcome in outcomes for case in outcome.run)
            refused = Counter(case.op for outcome in outcomes for case in outcome.refused)
            there = list(cases_of(name, arch))
            legal = Counter(case.op for case in there if GROUPS[name].legal(case))
            others = Counter(case.op for case in there) - legal
            for op in dict.fromkeys(case.op for case in there):
                passed = run[op] - min(failed[op], run[op])
                counts = (legal[op], run[op], passed, others[op], refused[op])
                total += Counter(dict(zip(("legal", "run", "passed", "others", "refused"), counts, strict=True)))
                print(f"{arch:7} {name:14} {op:12} " + " ".join(f"{n:6}" for n in counts))
            sys.stdout.flush()
    print(
        f"{total['legal']} legal, {total['run']} run, {total['passed']} passed; {total['others']} others, "
        f"{total['refused']} refused; {len(failures)} failures; {time.perf_counter() - began:.0f} s, "
        f"{_cpu_seconds():.0f} s of CPU"
    )
    for line in failures[:50]:
        print(line)
    return 1 if failures else 0


def _cpu_seconds() -> float:
    """Return the time that this process and the workers that it has seen end spent computing."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _submit(
    pool: ProcessPoolExecutor, arch: str, name: str, legal: list[Case], others: list[Case]
) -> Iterator[Future[Outcome]]:
    """Hand out a group's cases, a launch's worth or some hundred to be refused at a time."""
    for first in range(0, len(legal), TOGETHER):
        yield pool.submit(run_drawn, name, arch, legal[first : first + TOGETHER], ())
    for first in range(0, len(others), REFUSED_A_TASK):
        yield pool.submit(run_drawn, name, arch, (), others[first : first + REFUSED_A_TASK])


if __name__ == "__main__":
    raise SystemExit(main())
