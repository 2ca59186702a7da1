"""Run random C programs, compiled by clang, on the emulator and on the host, and compare bit for bit.

    python bench/clang_differential.py --count 200 --seed 1
    python bench/clang_differential.py --count 5000 --seed 1 --jobs 1 --arch both --out failures

Each program is compiled for the host and for each arch at a level drawn by its unit's seed; a unit is one start of
clang. Everything that a program writes must have the same bits, and no check may find anything. A failing program is
shrunk and written as a small .c file that says how to build it.

`clang` counts programs that differ by a fault of clang 22 that is told by itself: on gfx950 it gives v_bitop3 a wrong
truth table where both sides of an operation share a part, as in `s & k | ~s & ~(x | s)` (LLVM's pull request 198556
mends it), and the program is right when it is built without that instruction.

Nor is every other difference the emulator's. Seen in clang 22's code, each told from the shrunk program's assembly: a
store that is moved behind a loop takes the loop's scalar counter, though lanes left the loop earlier; the high half of
`x | ~(u64)y` is left out; a negated half in one of two joined branches is lost; `sr_pk_fp4` conversions do not keep the
bytes of the old value; the loop that a reduction over a wave becomes overwrites an SCC that is read behind it; `0 - x`
becomes `-x` and a rounded product `a * b + 0`, which gives another zero; a 64-bit constant that goes from vector to
scalar registers loses its high half (LLVM's pull request 200576 mends it); a `ds_bpermute` that asks one lane for all
becomes `v_readlane` (pull request 130133), which takes what a lane outside EXEC happens to hold, where the LDS hardware
gives 0. A finding may be clang's too: its recogniser
forgets the wait states behind a dot product at the head of a loop whose first predecessor is the loop itself. And it
puts an LDS load behind the next barrier and its fences, where another wave's store already overwrites what it reads.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.clangdiff.generator import LEVELS, generate  # noqa: E402
from support.clangdiff.model import Program  # noqa: E402
from support.clangdiff.opcodes import coverage_lines  # noqa: E402
from support.clangdiff.runner import CompileError, Outcome, device_text, find_clang, run_host, run_unit  # noqa: E402
from support.clangdiff.shrink import shrink  # noqa: E402

WEIGHTS = (1, 2, 3, 3, 2)
"""How often each level is drawn: unoptimised code takes ten times as long to emulate."""
Task = tuple[str, int, int, tuple[str, ...], str]


def run_task(task: Task) -> list[Outcome]:
    """Run the programs of seeds first..first+count on the archs; `level` empty draws one."""
    clang, first, count, archs, level = task
    programs = [generate(seed, f"p{seed}") for seed in range(first, first + count)]
    level = level or random.Random(first).choices(LEVELS, WEIGHTS)[0]
    try:
        expected = run_host(clang, programs, archs)
        return [outcome for arch in archs for outcome in run_unit(clang, programs, arch, level, expected[arch])]
    except CompileError as error:
        if count == 1:
            return [Outcome(first, archs[0], level, "generator", str(error))]
        half = count // 2
        return run_task((clang, first, half, archs, level)) + run_task(
            (clang, first + half, count - half, archs, level)
        )


def fails_like(clang: str, outcome: Outcome) -> Program:
    """Shrink the program of an outcome."""

    def fails(program: Program) -> bool:
        try:
            expected = run_host(clang, [program], [outcome.arch])[outcome.arch]
            again = run_unit(clang, [program], outcome.arch, outcome.level, expected)
        except CompileError:
            return False
        return bool(again) and again[0].kind == outcome.kind

    return shrink(generate(outcome.seed, f"p{outcome.seed}"), fails)


def write_reproducer(folder: Path, outcome: Outcome, program: Program) -> Path:
    """Write a shrunk program with its story; it includes the headers of tests/support/clangdiff."""
    detail = "\n".join(f"//   {line}" for line in outcome.detail.splitlines()[:12])
    text = (
        f"// seed {outcome.seed} on {outcome.arch} at -{outcome.level}: {outcome.kind}\n{detail}\n"
        f"// clang -target amdgcn-amd-amdhsa -mcpu={outcome.arch} -nogpulib -{outcome.level} -std=gnu23 "
        f"-ffp-contract=off -fno-strict-aliasing -I tests/support/clangdiff\n"
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{outcome.kind}_{outcome.seed}_{outcome.arch}_{outcome.level}.c"
    path.write_text(text + device_text([replace(program, seed=outcome.seed)], outcome.arch), encoding="utf-8")
    return path


def outcomes_of(tasks: list[Task], jobs: int) -> Iterator[list[Outcome]]:
    """Results of the tasks, in order."""
    if jobs == 1:
        yield from map(run_task, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(run_task, tasks)


def main() -> int:
    """Run the chosen seeds; exit 1 when a program fails."""
    parser = argparse.ArgumentParser(description="random C programs: the emulator against the host")
    parser.add_argument("--count", type=int, default=200, help="programs")
    parser.add_argument("--seed", type=int, default=1, help="the first program's seed")
    parser.add_argument("--unit", type=int, default=20, help="programs a start of clang")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--arch", choices=("gfx942", "gfx950", "both"), default="both")
    parser.add_argument(
        "--level", choices=("", *LEVELS), default="", help="one level instead of one drawn for each unit"
    )
    parser.add_argument("--seconds", type=float, default=0.0, help="start no unit after this time")
    parser.add_argument("--shrink", type=int, default=3, help="failures to shrink and write")
    parser.add_argument("--out", type=Path, default=Path("clang_differential"), help="folder for reproducers")
    parser.add_argument("--coverage", action="store_true", help="name the opcodes that were not reached")
    parser.add_argument("--reached", type=Path, help="file that collects the opcodes reached over several runs")
    chosen = parser.parse_args()
    clang = find_clang()
    if clang is None:
        print("no clang that knows gfx950: install clang-22 and lld-22")
        return 2
    archs = ("gfx942", "gfx950") if chosen.arch == "both" else (chosen.arch,)
    end = chosen.seed + chosen.count
    tasks = [
        (clang, first, min(chosen.unit, end - first), archs, chosen.level)
        for first in range(chosen.seed, end, chosen.unit)
    ]
    began = time.perf_counter()
    counts: Counter[str] = Counter()
    reached: dict[str, set[str]] = {arch: set() for arch in archs}
    if chosen.reached and chosen.reached.exists():
        for arch, names in json.loads(chosen.reached.read_text(encoding="utf-8")).items():
            reached.setdefault(arch, set()).update(names)
    failures: list[Outcome] = []
    programs: set[int] = set()
    instructions = 0
    for results in outcomes_of(tasks, chosen.jobs):
        for outcome in results:
            counts[outcome.kind] += 1
            programs.add(outcome.seed)
            instructions += outcome.instructions
            reached[outcome.arch] |= outcome.mnemonics
            if outcome.kind != "ok":
                failures += [outcome] if outcome.kind != "clang" else []
                first = " | ".join(outcome.detail.splitlines()[:3])
                print(f"{outcome.kind} seed {outcome.seed} {outcome.arch} {outcome.level}: {first[:300]}", flush=True)
        if chosen.reached:
            lists = {arch: sorted(names) for arch, names in reached.items()}
            chosen.reached.write_text(json.dumps(lists, indent=1), encoding="utf-8")
        spent = time.perf_counter() - began
        print(f"{len(programs)} programs, {dict(counts)}, {spent:.0f} s", file=sys.stderr, flush=True)
        if chosen.seconds and spent > chosen.seconds:
            break
    for outcome in failures[: chosen.shrink]:
        print(f"reproducer: {write_reproducer(chosen.out, outcome, fails_like(clang, outcome))}", flush=True)
    spent = time.perf_counter() - began
    print(f"{len(programs)} programs, {sum(counts.values())} runs in {spent:.0f} s, {instructions} wave-instructions")
    print("  " + ", ".join(f"{kind} {number}" for kind, number in sorted(counts.items())))
    for line in coverage_lines(reached, names=chosen.coverage):
        print(line)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
