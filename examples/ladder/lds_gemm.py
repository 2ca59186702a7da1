"""Step 6: operands through LDS by direct loads, the swizzle on the global address. gfx950: loads of 16 bytes a lane."""

from __future__ import annotations

from functools import partial

import ml_dtypes
import numpy as np
from common import arch, launch, verdict

import hkasm
from hkasm.inspect.statistics import hot_loop, statistics

TILE, K_STEP = 64, 64  # a workgroup of four waves computes 64 x 64, K in steps of 64
FRAGMENT = 16
ROW_BYTES = K_STEP * 2
TILE_BYTES = TILE * ROW_BYTES
LOAD_BYTES = 64 * 16  # one direct load: 64 lanes of 16 bytes, linear in LDS
LOADS = TILE_BYTES // LOAD_BYTES // 4  # for each wave and operand


class Tile:
    """The registers and the acts of a 64 x 64 tile: fetch, read, compute, store."""

    def __init__(self, k: hkasm.Builder, buffers: int = 1, *, swizzle: bool = True) -> None:
        self.buffers, self.swizzle = buffers, swizzle
        k.lds("A", buffers * TILE_BYTES)
        k.lds("B", buffers * TILE_BYTES)
        self.wave, self.cursor, self.steps = k.sgpr("wave"), k.sgpr("cursor"), k.sgpr("steps")
        self.resources = [k.sgpr(f"buffer {name}", 4) for name in "AB"]
        self.fetch_at = k.vgpr("fetch at", LOADS)
        self.read_at = [k.vgpr(f"read {name} at", 2) for name in "AB"]  # one for each half of the K step
        self.fragments = [k.vgpr(name, 4 * 4) for name in "AB"]  # (fragment 0..1, half of K) of 4 registers
        self.acc = k.agpr("acc", 4 * 4)
        self._begin(k)

    def _begin(self, k: hkasm.Builder) -> None:
        """Load the arguments; write where this wave and lane fetch and read."""
        for name, dtype in (("C", "f32"), ("A", "bf16"), ("B", "bf16")):
            k.arg(name, dtype, pointer=True, rank=2, access="write" if name == "C" else "read")
        k.arg("n", "u32")
        k.arg("k", "u32")
        pointers, sizes = k.sgpr("C,A,B", 6), k.sgpr("n,k", 2)
        k.s_load_dwordx4(pointers[0:4], k.kernarg, 0)
        k.s_load_dwordx2(pointers[4:6], k.kernarg, 16)
        k.s_load_dwordx2(sizes, k.kernarg, 24)
        k.wait(pointers, sizes)
        self.c, self.n = pointers[0:2], sizes[0]
        pitch, scalar = k.sgpr("pitch"), k.sgpr("scalar", 2)
        k.s_lshl_b32(pitch, sizes[1], 1)
        k.s_lshr_b32(self.steps, sizes[1], 6)
        k.s_mov_b32(self.cursor, 0)
        tiles = (k.group_ids[1], k.group_id)
        for resource, pointer, tile in zip(self.resources, (pointers[2:4], pointers[4:6]), tiles, strict=True):
            k.s_lshl_b32(scalar[0], tile, 6)  # first row of the tile, then its byte
            k.s_mul_hi_u32(scalar[1], scalar[0], pitch)
            k.s_mul_i32(scalar[0], scalar[0], pitch)
            k.s_add_u32(resource[0], pointer[0], scalar[0])
            k.s_addc_u32(resource[1], pointer[1], scalar[1])
            k.s_mul_i32(resource[2], pitch, TILE)
            k.s_mov_b32(resource[3], 0x20000)  # raw buffer
        row, part, chunk, at = (k.vgpr(name) for name in ("row", "part", "chunk", "at"))
        k.v_lshrrev_b32(row, 6, k.lane)
        k.v_readfirstlane_b32(self.wave, row)
        k.v_and_b32(k.lane, 63, k.lane)
        # Fetching: load i of a wave fills rows 8 (LOADS wave + i) + lane / 8; LDS chunk p holds chunk p ^ (row % 8).
        k.v_lshrrev_b32(row, 3, k.lane)
        k.v_and_b32(chunk, 7, k.lane)
        if self.swizzle:
            k.v_xor_b32(chunk, chunk, row)  # rows of a load start at a multiple of 8
        k.s_mul_i32(scalar[0], self.wave, 8 * LOADS)
        k.v_add_u32(row, scalar[0], row)
        k.v_mul_lo_u32(at, row, pitch)
        k.v_lshl_add_u32(self.fetch_at[0], chunk, 4, at)
        k.s_lshl_b32(scalar[0], pitch, 3)
        for number in range(1, LOADS):
            k.v_add_u32(self.fetch_at[number], scalar[0], self.fetch_at[number - 1])
        # Reading: row lane % 16, chunk lane / 16, and four chunks on for the second half of the K step.
        k.v_and_b32(row, FRAGMENT - 1, k.lane)
        k.v_lshrrev_b32(part, 4, k.lane)
        k.v_and_b32(chunk, 7, row)
        for half in (0, 1):
            k.v_or_b32(at, 4 * half, part)
            if self.swizzle:
                k.v_xor_b32(at, at, chunk)
            k.v_lshlrev_b32(at, 4, at)
            k.v_lshl_or_b32(self.read_at[0][half], row, 7, at)
        k.s_and_b32(scalar[0], self.wave, 1)  # wave = 2 * row of waves + column of waves
        k.s_lshr_b32(scalar[1], self.wave, 1)
        k.s_lshl_b32(scalar[0], scalar[0], 12)  # 32 rows of 128 bytes
        k.s_lshl_b32(scalar[1], scalar[1], 12)
        k.s_add_u32(scalar[0], scalar[0], self.buffers * TILE_BYTES)
        for half in (0, 1):
            k.v_add_u32(self.read_at[1][half], scalar[0], self.read_at[0][half])
            k.v_add_u32(self.read_at[0][half], scalar[1], self.read_at[0][half])
        for register in self.acc:
            k.v_accvgpr_write_b32(register, 0)
        k.free(pitch, scalar, row, part, chunk, at)

    def fetch(self, k: hkasm.Builder, operand: int, slot: int = 0) -> None:
        """Bring this wave's part of an operand of the step at the cursor to LDS buffer `slot`."""
        base = (operand * self.buffers + slot) * TILE_BYTES
        for number in range(LOADS):
            k.s_lshl_b32(hkasm.M0, self.wave, (LOADS * LOAD_BYTES).bit_length() - 1)
            k.s_add_u32(hkasm.M0, hkasm.M0, base + number * LOAD_BYTES)
            k.s_nop(0)
            k.buffer_load_dwordx4(self.fetch_at[number], self.resources[operand], self.cursor, offen=True, lds=True)

    def advance(self, k: hkasm.Builder) -> None:
        """Go to the next K step."""
        k.s_add_u32(self.cursor, self.cursor, ROW_BYTES)

    def read(self, k: hkasm.Builder, operand: int, slot: int = 0) -> None:
        """Read this wave's fragments of an operand."""
        for fragment in (0, 1):
            for half in (0, 1):
                first = 4 * (2 * fragment + half)
                offset = slot * TILE_BYTES + fragment * FRAGMENT * ROW_BYTES
                into = self.fragments[operand][first : first + 4]
                k.ds_read_b128(into, self.read_at[operand][half], offset=offset)

    def compute(self, k: hkasm.Builder) -> None:
        """Multiply: 2 x 2 fragments, two halves of K."""
        a, b = self.fragments
        for half in (0, 1):
            for i in (0, 1):
                for j in (0, 1):
                    acc = self.acc[4 * (2 * i + j) : 4 * (2 * i + j) + 4]
                    x, y = (4 * (2 * fragment + half) for fragment in (i, j))
                    k.v_mfma_f32_16x16x32_bf16(acc, a[x : x + 4], b[y : y + 4], acc)

    def store(self, k: hkasm.Builder) -> None:
        """Write the accumulators: column lane % 16, rows 4 (lane / 16) + 0..3 of each 16 x 16."""
        at, row, scalar = k.vgpr("c at"), k.vgpr("c row"), k.sgpr("scalar")
        for i in (0, 1):
            for j in (0, 1):
                k.s_lshr_b32(scalar, self.wave, 1)
                k.s_lshl_b32(scalar, scalar, 5)
                k.s_add_u32(scalar, scalar, 16 * i)
                k.v_lshrrev_b32(row, 4, k.lane)
                k.v_lshl_add_u32(row, row, 2, scalar)
                k.s_lshl_b32(scalar, k.group_ids[1], 6)
                k.v_add_u32(row, scalar, row)
                k.v_mul_lo_u32(at, row, self.n)
                k.s_and_b32(scalar, self.wave, 1)
                k.s_lshl_b32(scalar, scalar, 5)
                k.s_add_u32(scalar, scalar, 16 * j)
                k.v_and_b32(row, FRAGMENT - 1, k.lane)
                k.v_add3_u32(at, at, row, scalar)
                k.s_lshl_b32(scalar, k.group_id, 6)
                k.v_add_u32(at, scalar, at)
                k.v_lshlrev_b32(at, 2, at)
                k.s_lshl_b32(scalar, self.n, 2)
                for number in range(4):
                    k.global_store_dword(at, self.acc[4 * (2 * i + j) + number], self.c)
                    k.v_add_u32(at, scalar, at)
        k.s_endpgm()
        k.fix_hazards()


@hkasm.kernel(block=256)
def gemm(k: hkasm.Builder, *, swizzle: bool = True) -> None:
    """C[m, n] = A[m, k] B[n, k]^T: fetch, wait, read, wait, compute; m and n multiples of 64, k of 64."""
    tile = Tile(k, swizzle=swizzle)
    head = k.place("step")
    for operand in (0, 1):
        tile.fetch(k, operand)
    tile.advance(k)
    k.wait_counts(vmcnt=0)  # this wave's part has landed ...
    k.s_barrier()  # ... and so has everybody's
    for operand in (0, 1):
        tile.read(k, operand)
    k.wait(*tile.fragments)
    k.s_barrier()  # all have read: the buffer may be filled again
    tile.compute(k)
    k.s_sub_u32(tile.steps, tile.steps, 1)
    k.s_cmp_lg_u32(tile.steps, 0)
    k.s_cbranch_scc1(head)
    tile.store(k)


def show(kernel: object, m: int = 128, n: int = 192, depth: int = 320) -> str:
    """Run a kernel on random inputs; tell its error, its conflicts, and what its hot loop is made of."""
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((rows, depth)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    c = np.zeros((m, n), np.float32)
    report = launch(kernel, (n // TILE, m // TILE, 1), (256, 1, 1), c, a, b, n, depth)
    error = verdict(c, a.astype(np.float64) @ b.astype(np.float64).T, 1e-3)
    program = hkasm.build(kernel, arch=arch(), name="kernel", block=256)
    first, last = hot_loop(program) or (0, 0)
    counted = statistics(program.instructions[first:last], program.arch)
    return (
        f"{error}, {counted.per_mfma:.1f} instructions for each MFMA, "
        f"{report.counters['SQ_LDS_BANK_CONFLICT']} cycles lost to bank conflicts"
    )


if __name__ == "__main__":
    for swizzle in (False, True):
        print(f"swizzle {'on ' if swizzle else 'off'}:", show(partial(gemm, swizzle=swizzle)))
