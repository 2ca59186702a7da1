"""Mutate every schedule's lowered program, and the schedule itself, and count who finds it.

    python bench/schedule_mutations.py [--subject NAME ...] [--kind CLASS ...] [--each 0] [--runs 200] [--verbose]

Subjects are a small GEMM under every schedule, by its label, the library's attention under its own (heads of `--d`),
and the library's GEMM at full-size tiles on both archs, as ``gfx950:schedule=pingpong,tile=256x256``. In the program
waits are loosened by one and removed, barriers removed, the stagger removed, fetches swapped and moved in front of the
barrier before them; in the order neighbours among the fetches are swapped and each is moved a phase forward; and there
is HipKittens' FP8 order before its pull request 40. Counted are mutants refused by the plan, found by the verifier,
found by a wrong result, equivalent (proved for any timing and any number of K steps, and `--runs` random runs alike),
and missed. Exit code 1 when one is missed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.full_gemm import FullGemm  # noqa: E402
from support.schedule_mutants import CLASSES, OUTCOMES, RANDOM_RUNS, Mutant, PublishedFp8Order, Subject  # noqa: E402
from support.tile_attention import LABELS, TileAttention  # noqa: E402

SMALL = (
    "simple", "simple-direct", "gather", "pingpong", "pingpong:depth=3", "pingpong:apart=3", "pingpong-staged",
    "interleave", "interleave-lean", "interleave-staged", "interleave:depth=3", "specialised", "specialised-staged",
)  # fmt: skip
FULL = {
    f"{arch}:{label}": FullGemm(arch, label)
    for arch, label in (
        ("gfx950", "schedule=pingpong,tile=256x256"),
        ("gfx950", "schedule=interleave,tile=256x256"),
        ("gfx950", "schedule=interleave-lean,tile=256x256"),
        ("gfx950", "schedule=specialised,tile=256x128"),
        ("gfx950", "schedule=simple,tile=256x256"),
        ("gfx950", "schedule=pingpong,tile=256x256,dtype=mxfp6"),
        ("gfx950", "schedule=interleave,tile=128x128,buffers=3"),
        ("gfx942", "schedule=pingpong,tile=256x256"),
        ("gfx942", "schedule=interleave,tile=256x256"),
        ("gfx942", "schedule=specialised,tile=128x128"),
        ("gfx942", "schedule=simple,tile=256x256"),
    )
}
FULL["gfx942:elements"] = FullGemm("gfx942", "schedule=pingpong,tile=256x256", pipeline="elements")
FULL["published"] = FullGemm(
    "gfx950", "schedule=pingpong,tile=256x256,dtype=fp8", PublishedFp8Order(), late_columns=True
)
SUBJECTS = (*SMALL, *LABELS, *FULL)


def main() -> int:
    """Judge all mutants and print one row for each subject and class."""
    parser = argparse.ArgumentParser(description="mutation benchmark of the schedules")
    parser.add_argument("--subject", action="append", choices=SUBJECTS, metavar="NAME", help="which (default: all)")
    parser.add_argument("--kind", action="append", choices=CLASSES, help="class of mutants (default: all)")
    parser.add_argument("--each", type=int, default=0, help="mutants of a class, chosen by seed 0 (0: all)")
    parser.add_argument("--runs", type=int, default=RANDOM_RUNS, help="launches before one may be called equivalent")
    parser.add_argument("--d", type=int, default=64, help="attention's head size")
    parser.add_argument("--verbose", action="store_true", help="print every mutant")
    options = parser.parse_args()
    total: Counter[tuple[str, str]] = Counter()
    print(f"{'subject':46} {'class':18} {'of':>5} " + " ".join(f"{name:>10}" for name in OUTCOMES))
    for name in options.subject or SUBJECTS:
        began = time.perf_counter()
        kernel = TileAttention.of(name, options.d) if name in LABELS else FULL.get(name, name)
        subject = Subject(kernel, options.runs)
        counts: Counter[tuple[str, str]] = Counter()
        notes: Counter[str] = Counter()
        kinds = [kind for kind in CLASSES if kind in (options.kind or CLASSES)]
        for mutant, verdict in subject.verdicts(_chosen(subject, kinds, options.each)):
            counts[mutant.kind, verdict.outcome] += 1
            if options.verbose or verdict.outcome == "missed":
                print(f"    {verdict.outcome}: {mutant.kind}: {mutant.text}: {verdict.detail}", flush=True)
            elif verdict.outcome == "equivalent":
                what = mutant.text.partition(": ")[2] if mutant.kind == "barrier removed" else mutant.text
                notes[f"    equivalent: {mutant.kind}: {what}"] += 1
        _print(name, kinds, counts)
        for note, times in notes.items():
            print(f"{note} (x{times})")
        print(f"  {time.perf_counter() - began:.0f} s", flush=True)
        total += counts
    _print("all", CLASSES, total)
    return 1 if any(outcome == "missed" for _, outcome in total) else 0


def _chosen(subject: Subject, kinds: list[str], each: int) -> list[Mutant]:
    mutants = [mutant for mutant in subject.mutants() if mutant.kind in kinds]
    for kind in kinds if each else ():
        some = [mutant for mutant in mutants if mutant.kind == kind]
        kept = random.Random(f"0 {kind}").sample(some, min(each, len(some)))
        mutants = [mutant for mutant in mutants if mutant.kind != kind or mutant in kept]
    return mutants


def _print(name: str, kinds: tuple[str, ...] | list[str], counts: Counter[tuple[str, str]]) -> None:
    for kind in kinds:
        row = [counts[kind, outcome] for outcome in OUTCOMES]
        if sum(row):
            print(f"{name:46} {kind:18} {sum(row):5} " + " ".join(f"{count:10}" for count in row))


if __name__ == "__main__":
    raise SystemExit(main())
