"""Step 4: one matrix instruction. One wave, C = A B, with A 16 x 16, B 16 x 16 in f16 and C in f32."""

from __future__ import annotations

import numpy as np
from common import launch, verdict

import hkasm

SIDE = 16


@hkasm.kernel(block=64)
def product(k: hkasm.Builder) -> None:
    """C = A B; A is row-major, B is given transposed, so that both are read along k."""
    k.arg("C", "f32", pointer=True, rank=2, access="write")
    k.arg("A", "f16", pointer=True, rank=2)
    k.arg("Bt", "f16", pointer=True, rank=2)
    pointers = k.sgpr("C,A,B", 6)
    k.s_load_dwordx4(pointers[0:4], k.kernarg, 0)
    k.s_load_dwordx2(pointers[4:6], k.kernarg, 16)
    k.wait(pointers)
    c, a, b = pointers[0:2], pointers[2:4], pointers[4:6]

    # Lane l holds row l % 16 of A and column l % 16 of B, at k = 4 (l / 16) + 0..3 (hkasm layout says so).
    row, part, offset = k.vgpr("row"), k.vgpr("part"), k.vgpr("offset")
    k.v_and_b32(row, SIDE - 1, k.lane)
    k.v_lshrrev_b32(part, 4, k.lane)
    k.v_lshlrev_b32(offset, 5, row)  # 16 elements of 2 bytes a row
    k.v_lshl_add_u32(offset, part, 3, offset)  # 4 elements of 2 bytes a part
    a_tile, b_tile = k.vgpr("a", 2), k.vgpr("b", 2)
    k.global_load_dwordx2(a_tile, offset, a)
    k.global_load_dwordx2(b_tile, offset, b)
    acc = k.agpr("acc", 4)
    k.wait(a_tile, b_tile)
    k.v_mfma_f32_16x16x16_f16(acc, a_tile, b_tile, 0)

    # C: lane l holds column l % 16, rows 4 (l / 16) + 0..3. Wait states until the result may be read are put in below.
    k.v_lshlrev_b32(offset, 8, part)  # 4 rows of 64 bytes
    k.v_lshl_add_u32(offset, row, 2, offset)
    for number in range(4):
        k.global_store_dword(offset, acc[number], c, offset=number * SIDE * 4)
    k.s_endpgm()
    k.fix_hazards()


if __name__ == "__main__":
    random = np.random.default_rng(0)
    a, b = (random.integers(-4, 5, (SIDE, SIDE)).astype(np.float16) for _ in range(2))
    c = np.zeros((SIDE, SIDE), np.float32)
    launch(product, (1, 1, 1), (64, 1, 1), c, a, np.ascontiguousarray(b.T))
    print("C = A B:", verdict(c, a.astype(np.float64) @ b.astype(np.float64)))
