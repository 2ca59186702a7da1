"""Step 5: a GEMM of your own. Each wave computes one 16 x 16 tile and reads its operands straight from memory."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from common import arch, launch, verdict

import hkasm
from hkasm.inspect.statistics import hot_loop, statistics

TILE = 16
K_STEP = 16


@hkasm.kernel(block=64)
def gemm(k: hkasm.Builder) -> None:
    """C[m, n] = A[m, k] B[n, k]^T in bf16, C in f32; m, n and k are multiples of 16. One wave a workgroup."""
    k.arg("C", "f32", pointer=True, rank=2, access="write")
    k.arg("A", "bf16", pointer=True, rank=2)
    k.arg("B", "bf16", pointer=True, rank=2)
    k.arg("n", "u32")
    k.arg("k", "u32")
    pointers, sizes = k.sgpr("C,A,B", 6), k.sgpr("n,k", 2)
    k.s_load_dwordx4(pointers[0:4], k.kernarg, 0)
    k.s_load_dwordx2(pointers[4:6], k.kernarg, 16)
    k.s_load_dwordx2(sizes, k.kernarg, 24)
    k.wait(pointers, sizes)
    (c, a, b), (n, depth) = (pointers[0:2], pointers[2:4], pointers[4:6]), sizes

    # Where this lane reads: row 16 * tile + l % 16 of A (or B), element 4 (l / 16) of each step of 16.
    row, part, a_at, b_at = (k.vgpr(name) for name in ("row", "part", "a at", "b at"))
    k.v_and_b32(row, TILE - 1, k.lane)
    k.v_lshrrev_b32(part, 4, k.lane)
    for at, tile in ((a_at, k.group_ids[1]), (b_at, k.group_id)):
        first = k.sgpr("first row")
        k.s_lshl_b32(first, tile, 4)
        k.v_add_u32(at, first, row)
        k.v_mul_lo_u32(at, at, depth)
        k.v_lshl_add_u32(at, part, 2, at)
        k.v_lshlrev_b32(at, 1, at)
        k.free(first)

    acc = k.agpr("acc", 4)
    for register in acc:
        k.v_accvgpr_write_b32(register, 0)
    a_tile, b_tile = k.vgpr("a", 2), k.vgpr("b", 2)
    steps = k.sgpr("steps left")
    k.s_lshr_b32(steps, depth, 4)
    head = k.place("step")
    k.global_load_dwordx2(a_tile, a_at, a)
    k.global_load_dwordx2(b_tile, b_at, b)
    k.v_add_u32(a_at, K_STEP * 2, a_at)
    k.v_add_u32(b_at, K_STEP * 2, b_at)
    k.wait(a_tile, b_tile)
    k.v_mfma_f32_16x16x16_bf16(acc, a_tile, b_tile, acc)
    k.s_sub_u32(steps, steps, 1)
    k.s_cmp_lg_u32(steps, 0)
    k.s_cbranch_scc1(head)

    # C: lane l holds column l % 16 of the tile, rows 4 (l / 16) + 0..3.
    at, first = k.vgpr("c at"), k.sgpr("first")
    k.s_lshl_b32(first, k.group_ids[1], 4)
    k.v_lshl_add_u32(at, part, 2, first)
    k.v_mul_lo_u32(at, at, n)
    k.s_lshl_b32(first, k.group_id, 4)
    k.v_add3_u32(at, at, row, first)
    k.v_lshlrev_b32(at, 2, at)
    k.s_lshl_b32(first, n, 2)
    for number in range(4):
        k.global_store_dword(at, acc[number], c)
        k.v_add_u32(at, first, at)
    k.s_endpgm()
    k.fix_hazards()


if __name__ == "__main__":
    m, n, depth = 64, 48, 160
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((rows, depth)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    c = np.zeros((m, n), np.float32)
    report = launch(gemm, (n // TILE, m // TILE, 1), (64, 1, 1), c, a, b, n, depth)
    print(f"{m} x {n} x {depth}:", verdict(c, a.astype(np.float64) @ b.astype(np.float64).T, 1e-4))
    program = hkasm.build(gemm, arch=arch())
    first, last = hot_loop(program) or (0, 0)
    counted = statistics(program.instructions[first:last], program.arch)
    loads = report.counters["load_bytes"]
    print(f"hot loop: {counted.per_mfma:.0f} instructions for each MFMA")
    print(f"{loads} bytes loaded, {loads / (a.nbytes + b.nbytes):.1f} times what A and B have")
