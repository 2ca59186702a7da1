"""Count how many instructions a second the builder takes from Python calls, checks and origins included.

    python bench/builder_rate.py [--instructions 100000] [--limit 100000]

Four kinds of calls, each into a fresh builder: registers of a kind that was seen before, offsets that are new all the
time, literals that are, and the whole GEMM from `get_kernel` to the finished program (waits and wait states derived).
CPU seconds of this process, the best of five rounds. Exit 1 if one of the first three stays below the limit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from hkasm.asm.builder import Builder
from hkasm.isa.registers import a, s, v
from hkasm.kernels import get_kernel

ROUNDS = 5


def same_kinds(k: Builder, count: int) -> None:
    """A mix as in an unrolled loop: matrix products, LDS reads, address arithmetic; registers sliced anew each time."""
    for i in range(count // 5):
        r = 4 * (i % 32)
        k.v_mfma_f32_16x16x32_bf16(a[r : r + 4], v[r : r + 4], v[128:132], a[r : r + 4])
        k.ds_read_b128(v[r : r + 4], v[200], offset=1024)
        k.v_add_u32(v[r], 16, v[r])
        k.v_lshl_or_b32(v[r], v[r + 1], 16, v[r + 2])
        k.s_add_u32(s[20], s[20], 64)


def new_offsets(k: Builder, count: int) -> None:
    for i in range(count):
        k.ds_read_b128(v[0:4], v[200], offset=i % 65536)


def new_literals(k: Builder, count: int) -> None:
    for i in range(count):
        k.v_add_u32(v[0], 0x10000 + i, v[1])


def rate(write: Callable[[Builder, int], None], count: int) -> float:
    """Instructions a second of the best round."""
    best = float("inf")
    for _ in range(ROUNDS):
        k = Builder("gfx950")
        began = time.process_time()
        write(k, count)
        best = min(best, time.process_time() - began)
    return count / best


def gemm_rate() -> tuple[int, float]:
    """Instructions of the gfx950 GEMM, and how many a second are built."""
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        program = get_kernel("gemm").build(arch="gfx950")
        best = min(best, time.process_time() - began)
    return len(program.instructions), len(program.instructions) / best


def main() -> int:
    parser = argparse.ArgumentParser(description="Instructions a second from Python calls")
    parser.add_argument("--instructions", type=int, default=100_000)
    parser.add_argument("--limit", type=float, default=100_000, help="least instructions a second")
    options = parser.parse_args()
    known = rate(same_kinds, options.instructions)
    offsets = rate(new_offsets, options.instructions)
    literals = rate(new_literals, options.instructions)
    size, gemm = gemm_rate()
    print(f"calls with kinds of operands seen before   {known:10,.0f} instructions a second of CPU time")
    print(f"calls with new offsets                     {offsets:10,.0f}")
    print(f"calls with new literals                    {literals:10,.0f}")
    print(f"GEMM, {size} instructions, to the program   {gemm:10,.0f}")
    verdict = "PASS" if min(known, offsets, literals) >= options.limit else "FAIL"
    print(f"limit {options.limit:,.0f}: {verdict}")
    return 0 if verdict == "PASS" else 1


if __name__ == "__main__":
    raise SystemExit(main())
