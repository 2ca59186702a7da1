"""Mutate every schedule's lowered program, and the schedule itself, and count who finds it.

    python bench/schedule_mutations.py [--schedule LABEL ...] [--kind CLASS ...] [--runs N] [--verbose]

Waits are loosened by one and removed, barriers removed, the stagger removed, fetches swapped and moved in front of the
barrier before them, in the program; neighbours among the schedule's fetches swapped and each moved a phase forward, in
the order. Counted are mutants refused by the plan, found by the verifier, found by a wrong result, proved equivalent
for any number of K steps, and missed; with --runs, what is proved equivalent is run so often, loads landing and waves
going at random. Schedules of attention (`attention-pingpong` ...) are judged in the library's kernel. Exit code 1 when
one is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.schedule_mutants import CLASSES, OUTCOMES, Subject, Verdict  # noqa: E402
from support.tile_attention import LABELS  # noqa: E402

SCHEDULES = (
    "simple", "simple-direct", "gather", "pingpong", "pingpong:depth=3", "pingpong:apart=3", "pingpong-staged",
    "interleave", "interleave-lean", "interleave-staged", "interleave:depth=3", "specialised", "specialised-staged",
    *LABELS,
)  # fmt: skip


def main() -> int:
    """Judge all mutants and print one row for each schedule and class."""
    parser = argparse.ArgumentParser(description="mutation benchmark of the schedules")
    parser.add_argument("--schedule", action="append", help="label of a schedule (default: all)")
    parser.add_argument("--kind", action="append", choices=CLASSES, help="class of mutants (default: all)")
    parser.add_argument("--runs", type=int, default=0, help="random runs of each equivalent mutant")
    parser.add_argument("--d", type=int, default=64, help="attention's head size")
    parser.add_argument("--verbose", action="store_true", help="print every mutant")
    options = parser.parse_args()
    total: Counter[tuple[str, str]] = Counter()
    print(f"{'schedule':22} {'class':18} {'of':>5} " + " ".join(f"{name:>10}" for name in OUTCOMES))
    for label in options.schedule or SCHEDULES:
        began = time.perf_counter()
        subject = Subject(label, options.d)
        counts: Counter[tuple[str, str]] = Counter()
        notes: Counter[str] = Counter()
        for mutant in subject.mutants():
            if mutant.kind not in (options.kind or CLASSES):
                continue
            verdict = subject.judge(mutant)
            if verdict.outcome == "equivalent" and mutant.changes is not None and options.runs:
                fault = subject.confirm(mutant, options.runs)
                verdict = Verdict("missed", fault) if fault else verdict
            counts[mutant.kind, verdict.outcome] += 1
            if options.verbose or verdict.outcome == "missed":
                print(f"    {verdict.outcome}: {mutant.kind}: {mutant.text}: {verdict.detail}", flush=True)
            elif verdict.outcome == "equivalent":
                what = mutant.text.partition(": ")[2] if mutant.kind == "barrier removed" else mutant.text
                notes[f"    equivalent: {mutant.kind}: {what}"] += 1
        for kind in CLASSES:
            row = [counts[kind, outcome] for outcome in OUTCOMES]
            if sum(row):
                print(f"{label:22} {kind:18} {sum(row):5} " + " ".join(f"{count:10}" for count in row))
        for note, times in notes.items():
            print(f"{note} (x{times})")
        print(f"  {time.perf_counter() - began:.0f} s", flush=True)
        total += counts
    print("all schedules")
    for kind in CLASSES:
        row = [total[kind, outcome] for outcome in OUTCOMES]
        if sum(row):
            print(f"{'':22} {kind:18} {sum(row):5} " + " ".join(f"{count:10}" for count in row))
    return 1 if any(outcome == "missed" for _, outcome in total) else 0


if __name__ == "__main__":
    raise SystemExit(main())
