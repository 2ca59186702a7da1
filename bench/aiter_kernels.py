"""Launch AITER's hand-written kernels on the emulator, all checks on, and compare what they write with NumPy.

    python bench/aiter_kernels.py PATH [--kind bf16gemm ...] [--arch gfx950 ...] [--match TEXT] [--every] [--prove 5]

PATH is a checkout of AITER or its `hsa` folder. One row is printed for each launch: the result, the largest error, the
findings, wave-instructions, seconds. Exit code 1 when a result is wrong or something was found.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support import aiter_attention, aiter_backward, aiter_gemm, aiter_latent, aiter_moe, aiter_packed, aiter_paged
from support.aiter import find_hsa, run

from hkasm.emulator.options import Options


def other_timings(count: int) -> list[Options]:
    """Settings of runs at other times, that hardware may have too: as late as the waits allow, then at random.

    Without checks: a run that finds a register in flight waits for it.
    """
    late = Options(checks=())
    return [late, *(late.but(landing="random", order="random", seed=seed) for seed in range(count - 1))]


def main() -> int:
    """Run the cases that are asked for and print a row each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="checkout of AITER, or its hsa folder")
    parser.add_argument("--kind", action="append", help="family of kernels (default: all)")
    parser.add_argument("--arch", action="append", help="gfx942 or gfx950 (default: both)")
    parser.add_argument("--match", default="", help="only cases whose name has this text")
    parser.add_argument("--landing", help="late, eager or random, for every case")
    parser.add_argument("--order", help="batch, reversed, random or lockstep, for every case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", action="store_true", help="one launch of each code object, not of a sample only")
    parser.add_argument("--collect", action="store_true", help="go on after a finding and list all")
    parser.add_argument(
        "--prove", type=int, default=0, metavar="N", help="see by N runs at other timings that a known race is one"
    )
    parser.add_argument("--list", action="store_true", help="print the names of the cases and stop")
    words = parser.parse_args()
    try:
        hsa = find_hsa(words.path)
    except FileNotFoundError as error:
        parser.error(str(error))
    chosen = [
        case
        for module in (aiter_gemm, aiter_moe, aiter_attention, aiter_backward, aiter_packed, aiter_paged, aiter_latent)
        for case in module.cases(hsa, every=words.every)
        if (not words.kind or case.kind in words.kind)
        and (not words.arch or case.arch in words.arch)
        and words.match in case.name
    ]
    if words.list:
        print("\n".join(case.name for case in chosen))
        return 0
    begun, bad = time.perf_counter(), 0
    for case in chosen:
        options = Options(
            landing=words.landing or "late",
            order=words.order or case.order,
            seed=words.seed,
            strict=not (words.collect or case.known),
        )
        row = run(hsa, case, options)
        bad += not row.good
        print(row, flush=True)
        for rule, why in case.known.items():
            print(f"    {rule} is known: {why}", flush=True)
        if words.prove and case.known:
            wrong = sum(run(hsa, case, options).result != "ok" for options in other_timings(words.prove))
            print(f"    {wrong} of {words.prove} runs at other timings go wrong", flush=True)
    print(f"{len(chosen)} launches, {bad} with a wrong result or findings, {time.perf_counter() - begun:.0f} s")
    return 1 if bad or not chosen else 0


if __name__ == "__main__":
    raise SystemExit(main())
