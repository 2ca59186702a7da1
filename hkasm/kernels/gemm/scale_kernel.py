"""The kernel that brings E8M0 block scales from rows into the layout that the GEMM reads (`scales`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.isa.registers import VCC
from hkasm.kernels.gemm.plan import DWORD_BYTES, SCALE_BYTES, SCALE_ROWS, WAVE_SIZE, log2
from hkasm.kernels.gemm.scales import BLOCKS_A_UNIT, ONE, padded, shuffle_scales
from hkasm.kernels.kernel import Arrays, Comparison, Kernel, Launch, Problem, compare
from hkasm.kernels.parameters import ParameterSet, parameter
from hkasm.tiles.buffer import BufferView
from hkasm.tiles.lanes import write_table

UNTOUCHED = 0x5A


@dataclass(frozen=True)
class ScalesConfig(ParameterSet):
    """Nothing changes the code."""


@dataclass(frozen=True)
class ScalesProblem(Problem):
    """E8M0 codes [rows, blocks], rows `pitch` bytes apart, into whole units of 64 rows and 4 blocks."""

    rows: int = parameter(256, "rows of the operand", low=1, high=1 << 24)
    blocks: int = parameter(8, "blocks of 32 elements a row", low=1, high=1 << 19)
    pitch: int = parameter(0, "bytes from row to row, 0 for no space between rows", low=0, high=1 << 20)

    def __post_init__(self) -> None:
        if self.pitch and self.pitch < self.blocks:
            raise UsageError(f"pitch={self.pitch}: shorter than a row", hint=f"at least {self.blocks}")

    @property
    def _step(self) -> int:
        return self.pitch or self.blocks

    @property
    def _units(self) -> tuple[int, int]:
        rows, blocks = padded(self.rows, self.blocks)
        return rows // SCALE_ROWS, blocks // BLOCKS_A_UNIT

    def inputs(self, seed: int = 0) -> Arrays:
        """Return random codes; what lies between rows is another value than any padding."""
        count = (self.rows - 1) * self._step + self.blocks
        return {"S": np.random.default_rng(seed).integers(0, 255, count).astype(np.uint8)}

    def outputs(self) -> Arrays:
        """Return the units, unwritten."""
        down, across = self._units
        return {"U": np.full(down * across * SCALE_BYTES, UNTOUCHED, np.uint8)}

    def launch(self) -> Launch:
        """Return one wave a unit."""
        down, across = self._units
        return Launch((across, down, 1), (WAVE_SIZE, 1, 1), ("U", "S", self.rows, self.blocks, self._step, across))

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare the units byte for byte."""
        flat = inputs["S"]
        rows = np.lib.stride_tricks.as_strided(flat, (self.rows, self.blocks), (self._step, 1))
        want = shuffle_scales(np.ascontiguousarray(rows)).astype(np.float64)
        return [compare("U", outputs["U"], want, np.zeros(want.shape), "no error")]

    @property
    def bytes(self) -> int:
        down, across = self._units
        return self.rows * self._step + down * across * SCALE_BYTES

    @property
    def flops(self) -> int:
        return 0


class ScalesKernel(Kernel[ScalesConfig, ScalesProblem]):
    """E8M0 block scales of an MX operand, row by row, into the layout that the GEMM reads."""

    name = "mx_scales"
    archs = ("gfx950",)
    grid_rule = ("ceil(blocks / 8) * 2", "ceil(rows / 64)", "1")
    config_type = ScalesConfig
    problem_type = ScalesProblem

    def write(self, arch: str, config: ScalesConfig) -> Program:
        """Write the program: lane 16 b + r of a wave gathers the scales of block b of four rows."""
        k = Builder(arch, self.name, block=WAVE_SIZE)
        k.arg("U", "u8", pointer=True, rank=1, access="write")
        k.arg("S", "u8", pointer=True, rank=1)
        for name in ("rows", "blocks", "pitch", "across"):
            k.arg(name, "u32")
        pointers, sizes = k.sgpr("U,S", 4), k.sgpr("rows,blocks,pitch,across", 4)
        k.s_load_dwordx4(pointers, k.kernarg, 0)
        k.s_load_dwordx4(sizes, k.kernarg, 16)
        k.wait(pointers, sizes)
        rows, blocks, pitch, across = sizes
        first, temporary, left = k.sgpr("first row"), k.sgpr("temporary"), k.sgpr("rows left")
        source, target = BufferView(k.sgpr("buffer S", 4)), BufferView(k.sgpr("buffer U", 4))
        k.s_lshl_b32(first, k.group_ids[1], log2(SCALE_ROWS))
        k.s_sub_u32(left, rows, first)
        k.s_min_u32(left, left, SCALE_ROWS)
        source.place(k, pointers[2:4], first, pitch, temporary)
        source.limit(k, left, pitch, blocks, temporary)
        k.s_lshl_b32(across, across, log2(SCALE_BYTES))
        target.place(k, pointers[0:2], k.group_ids[1], across, temporary)
        k.s_mov_b32(first, 1)
        target.limit(k, first, across, across, temporary)
        row, block, place, free = (k.vgpr(name) for name in ("row", "block", "place", "free"))
        found = k.vgpr("scales", 4)
        inside = k.sgpr("inside", 2)
        lane = np.arange(WAVE_SIZE)
        write_table(k, block, k.lane, lane // 16, free)
        k.s_lshl_b32(temporary, k.group_ids[0], log2(BLOCKS_A_UNIT))
        k.v_add_u32(block, temporary, block)
        k.v_cmp_gt_u32(inside, blocks, block)
        rows_of = [32 * (i // 2) + 8 * (lane % 16 // 4) + 4 * (i % 2) + lane % 4 for i in range(4)]
        for scale, table in zip(found, rows_of, strict=True):
            write_table(k, row, k.lane, table, free)
            k.v_mul_lo_u32(place, row, pitch)
            k.v_add_u32(place, place, block)
            k.buffer_load_ubyte(scale, place, source.descriptor, 0)
        for number, (scale, table) in enumerate(zip(found, rows_of, strict=True)):
            write_table(k, row, k.lane, table, free)
            k.v_cmp_gt_u32(VCC, left, row)
            k.s_and_b64(VCC, VCC, inside)
            k.v_mov_b32(free, ONE)
            k.wait(scale)
            k.v_cndmask_b32(scale, free, scale, VCC)
            if number:
                k.v_lshl_or_b32(found[0], scale, 8 * number, found[0])
        k.v_lshlrev_b32(place, log2(DWORD_BYTES), k.lane)
        k.s_lshl_b32(temporary, k.group_ids[0], log2(SCALE_BYTES))
        k.buffer_store_dword(found[0], place, target.descriptor, temporary)
        k.s_endpgm()
        k.fix_hazards()
        return k.finish()
