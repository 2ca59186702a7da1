"""Step 3: transpose a 64 x 64 tile through LDS; see the bank conflicts, and remove them with a swizzle."""

from __future__ import annotations

from functools import partial

import numpy as np
from common import launch, verdict

import hkasm

SIDE = 64
ROW_BYTES = SIDE * 4


@hkasm.kernel(block=SIDE)
def transpose(k: hkasm.Builder, *, swizzle: bool = True) -> None:
    """out[c][r] = x[r][c]; one wave, lane r holds row r, then column r."""
    k.arg("out", "f32", pointer=True, rank=2, access="write")
    k.arg("x", "f32", pointer=True, rank=2)
    pointers = k.sgpr("out,x", 4)
    k.s_load_dwordx4(pointers, k.kernarg, 0)
    k.wait(pointers)
    out, x = pointers[0:2], pointers[2:4]
    k.lds("tile", SIDE * ROW_BYTES)

    # Lane r loads column r of x row by row, so that 64 lanes read 256 bytes in a row, and writes LDS row by row.
    column = k.vgpr("column bytes")
    k.v_lshlrev_b32(column, 2, k.lane)
    values = k.vgpr("values", SIDE)
    address = k.vgpr("address")
    for row in range(SIDE):
        k.global_load_dword(values[row], column, x)
        k.v_add_u32(column, ROW_BYTES, column)
    k.wait(values)
    for row in range(SIDE):
        # Element (row, c) lies at row * 256 + 4 * (c ^ row), or without the swizzle at row * 256 + 4 * c.
        k.v_xor_b32(address, row if swizzle else 0, k.lane)
        k.v_lshlrev_b32(address, 2, address)
        k.ds_write_b32(address, values[row], offset=row * ROW_BYTES)
    # No wait here: LDS serves one wave's instructions in their order, and no other wave is there.

    # Lane r reads row r of LDS, element by element: lanes are 256 bytes apart, all in one bank without the swizzle.
    base = k.vgpr("base")
    k.v_lshlrev_b32(base, 8, k.lane)
    for c in range(SIDE):
        if swizzle:
            k.v_xor_b32(address, c, k.lane)
        else:
            k.v_mov_b32(address, c)
        k.v_lshl_add_u32(address, address, 2, base)
        k.ds_read_b32(values[c], address)
    k.wait(values)
    k.v_lshlrev_b32(column, 2, k.lane)
    for c in range(SIDE):
        k.global_store_dword(column, values[c], out)
        k.v_add_u32(column, ROW_BYTES, column)
    k.s_endpgm()


if __name__ == "__main__":
    x = np.arange(SIDE * SIDE, dtype=np.float32).reshape(SIDE, SIDE)
    for swizzle in (False, True):
        out = np.zeros_like(x)
        report = launch(partial(transpose, swizzle=swizzle), (1, 1, 1), (SIDE, 1, 1), out, x)
        conflicts = report.counters["SQ_LDS_BANK_CONFLICT"]
        print(f"swizzle {'on ' if swizzle else 'off'}: {verdict(out, x.T)}, {conflicts} cycles lost to bank conflicts")
