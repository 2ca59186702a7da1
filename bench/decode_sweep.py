"""Sweep decode attention on the emulator: random shapes, caches, tables, masks, splits, data and head sizes.

    python bench/decode_sweep.py cases [--count 100] [--seed 0] [--first 0]
    python bench/decode_sweep.py counts    # bytes and segments read of the cache, bytes in flight, beside the least

Prints each failure and a summary; exit code 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.decode_runs import Case, make_problem, random_case, run_decode

from hkasm.asm.program import Program
from hkasm.errors import HkasmError
from hkasm.isa.counters import unpack_waitcnt
from hkasm.kernels import get_kernel
from hkasm.kernels.decode.declared import WAVES

ARCHS = ("gfx942", "gfx950")
SIZES = (64, 128, 256, 32, 40, 72, 96, 136, 200)


def sweep_cases(first: int, count: int, seed: int) -> int:
    """Run random cases, on both archs in turn; returns the number of failures."""
    failures, worst, kinds = 0, Counter[str](), Counter[str]()
    for number in range(first, first + count):
        case = random_case(np.random.default_rng([seed, number]), SIZES)
        arch = ARCHS[number % 2]
        try:
            report, comparisons, _ = run_decode(arch, case, number)
            text = "; ".join(str(one) for one in comparisons if not one.passed)
            text += "; ".join(map(str, report.findings))
            if conflicts := report.counters["SQ_LDS_BANK_CONFLICT"]:
                text += f"; {conflicts} bank conflicts"
            for one in comparisons:
                worst[one.name] = max(worst[one.name], one.worst)
        except HkasmError as error:
            text = str(error)
        kinds[f"{arch} {case['dtype']} {case['cache']} {case['mask']}"] += 1
        if text:
            failures += 1
            print(f"FAIL {number} {arch} {case}: {text}", flush=True)
    for kind in sorted(kinds):
        print(f"{kind}: {kinds[kind]} cases")
    print(f"{count} cases, {failures} failures; largest errors in units of what is tolerated: {dict(worst)}")
    return failures


def in_flight(program: Program) -> int:
    """Return the fewest bytes that a wave has in flight behind any wait of its loop."""
    (loop,) = (mark for mark in program.marks if mark.kind == "loop")
    flying, least = list[int](), 1 << 30
    for turn in range(2):
        for inst in program.instructions[loop.first : loop.last]:
            if inst.spec.memory is not None and inst.spec.memory.space == "buffer":
                flying.append(inst.spec.memory.bytes * 64)
            elif inst.mnemonic == "s_waitcnt":
                assert isinstance(inst.operands[0], int)
                count = unpack_waitcnt(inst.operands[0]).vmcnt
                flying = flying[max(len(flying) - count, 0) :]
                least = min(least, sum(flying)) if turn else least
    return least


def count() -> int:
    """Print what the cache's reads cost; returns the number of rows that miss a goal."""
    print("arch    d    cache  load bytes / least  segments / least  KiB in flight, one workgroup a CU")
    missed = 0
    for arch in ARCHS:
        for d in (64, 128, 256):
            for cache in ("plain", "paged"):
                case: Case = {"d": d, "cache": cache, "hq": 8, "hkv": 1, "batch": 1, "kv": 1000, "splits": 2}
                report, _, _ = run_decode(arch, case)
                problem = make_problem(arch, case)
                queries, least = WAVES * 2 * problem.split_count * problem.size("Q"), problem.least_bytes
                flying = WAVES * in_flight(get_kernel("decode").build(arch, d=d, cache=cache, parts="yes")) / 1024
                loads = (report.counters["load_bytes"] - queries) / least
                segments = (64 * report.counters["load_segments"] - queries) / least
                missed += loads != 1 or segments > 1.02 or flying < 16
                print(f"{arch}  {d:3}  {cache}  {loads:18.3f}  {segments:16.3f}  {flying:8.0f}", flush=True)
    return missed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cases", "counts"))
    parser.add_argument("--count", type=int, default=100, help="random cases")
    parser.add_argument("--first", type=int, default=0, help="the first case's number")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    begun = time.perf_counter()
    failures = sweep_cases(words.first, words.count, words.seed) if words.what == "cases" else count()
    print(f"{time.perf_counter() - begun:.0f} s")
    raise SystemExit(1 if failures else 0)
