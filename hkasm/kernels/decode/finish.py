"""Decode's end: what the waves of a workgroup found is brought to one maximum, added up through LDS, and stored.

Weights are taken back to shares before they are added: each wave multiplies its accumulators by exp2(own maximum -
common maximum) / common sum. In LDS rows of four-element pieces lie beside each other, their numbers exclusive-ored
with the row's, so that neither the accumulators' columns nor the rows that are stored meet a bank twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hkasm.isa.registers import EXEC, VCC, Register
from hkasm.kernels.attention.softmax import LOG2E, MINUS_INFINITY
from hkasm.kernels.decode.declared import ROWS, WAVES
from hkasm.tiles.lanes import write_table
from hkasm.tiles.layout import LANES
from hkasm.tiles.memory import OUT_OF_RANGE_OPERAND
from hkasm.tiles.ops.packing import Rounder, rounder

if TYPE_CHECKING:
    from hkasm.kernels.decode.body import Decode

F32_BYTES = 4
PIECE = 4
"""Elements of a piece: 16 bytes."""
STATISTICS_BYTES = 8
LOWER_ROW = 0xFFFF
"""The first quarter's lanes, one for each row."""
WHERE_STATISTICS, WHERE_PARTS = "row statistics", "parts of O"


class Finish:
    """Writes the end of a decode kernel."""

    def __init__(self, decode: Decode) -> None:
        self.decode, self.k, self.size = decode, decode.k, decode.size
        self.part_bytes = ROWS * self.size * F32_BYTES
        self.region = self.k.lds("parts of O and statistics", WAVES * self.part_bytes)

    def write(self) -> None:
        """Write the whole end but the last instruction."""
        factor = self._find_factor()
        self.k.s_barrier()  # every wave has read the statistics, whose place the parts take
        self._share(factor)
        self.k.wait(WHERE_PARTS, reason="this wave's part")
        self.k.s_barrier()
        self._store()

    def _find_factor(self) -> Register:
        """Exchange statistics; store the log-sum-exp; return what the wave's accumulators are multiplied by."""
        k, decode = self.k, self.decode
        total, largest = decode.softmax.sum
        place, at = k.vgpr("place of a row"), k.vgpr("place of the wave's row")
        step = k.sgpr("statistics of a wave")
        k.v_lshlrev_b32(place, STATISTICS_BYTES.bit_length() - 1, decode.row)
        k.s_lshl_b32(step, decode.wave, (ROWS * STATISTICS_BYTES).bit_length() - 1)
        k.v_add_u32(at, step, place)
        k.s_mov_b64(EXEC, LOWER_ROW)
        k.ds_write_b64(at, decode.softmax.sum, offset=self.region.offset, tokens=(WHERE_STATISTICS,))
        k.s_mov_b64(EXEC, -1)
        k.wait(WHERE_STATISTICS, reason="this wave's statistics")
        k.s_barrier()
        found = k.vgpr("statistics", 2 * WAVES)
        pairs = [found[2 * wave : 2 * wave + 2] for wave in range(WAVES)]
        for wave, pair in enumerate(pairs):
            k.ds_read_b64(pair, place, offset=self.region.offset + wave * ROWS * STATISTICS_BYTES)
        common, sums, own = k.vgpr("common maximum"), k.vgpr("common sum"), k.vgpr("factor")
        k.wait(found, reason="all waves' statistics")
        k.v_max_f32(common, pairs[0][1], pairs[1][1])
        k.v_max3_f32(common, common, pairs[2][1], pairs[3][1])
        k.v_cmp_lg_f32(VCC, MINUS_INFINITY, common)
        k.v_cndmask_b32(common, 0, common, VCC)
        k.v_mov_b32(sums, 0)
        for pair in pairs:
            k.v_sub_f32(pair[1], pair[1], common)
            k.v_exp_f32(pair[1], pair[1])
            k.v_fmac_f32(sums, pair[1], pair[0])
        k.v_sub_f32(own, largest, common)
        k.v_exp_f32(own, own)
        k.v_rcp_f32(total, sums)
        k.v_cmp_lg_f32(VCC, 0, sums)
        k.v_cndmask_b32(total, 0, total, VCC)
        k.v_mul_f32(own, own, total)
        k.v_log_f32(sums, sums)
        k.v_add_f32(sums, sums, common)
        k.v_mul_f32(sums, 1 / LOG2E, sums)
        self._store_sums(sums)
        k.free(place, at, step, found, common, sums)
        return own

    def _store_sums(self, sums: Register) -> None:
        """Store the rows' log-sum-exps from the first wave's first quarter."""
        k, decode = self.k, self.decode
        name = "L" if decode.partial else "LSE"
        split = decode.split if decode.partial else None
        view = decode.rows.view("lse", decode.pointers[name], decode.batch, 1, F32_BYTES, split)
        offset, query = k.vgpr("LSE offset"), k.vgpr("query")
        decode.rows.write_offset(offset, query, decode.row, "lse", F32_BYTES)
        k.s_cmp_eq_u32(decode.wave, 0)
        k.s_cselect_b32(EXEC[0], LOWER_ROW, 0)
        k.s_mov_b32(EXEC[1], 0)
        k.buffer_store_dword(sums, offset, view, 0)
        k.s_mov_b64(EXEC, -1)
        k.free(view, offset, query)

    def _share(self, factor: Register) -> None:
        """Write the wave's accumulators, as shares, to its part."""
        k, decode = self.k, self.decode
        chunk, pieces = decode.chunk, decode.chunk // PIECE
        base, free, place = k.vgpr("part base"), k.vgpr("free"), k.vgpr("piece place", 2)
        row, quarter = np.arange(LANES) % ROWS, np.arange(LANES) // ROWS
        table = row * self.size * F32_BYTES + (4 * pieces * quarter ^ row) * PIECE * F32_BYTES
        write_table(k, base, decode.lane, table, free)
        step = k.sgpr("parts of a wave")
        k.s_lshl_b32(step, decode.wave, self.part_bytes.bit_length() - 1)
        k.v_add_u32(base, step, base)
        scaled = k.vgpr("shares", 2 * PIECE, align=4)
        number = 0
        for half in range(decode.halves):
            for i in range(4):
                for piece in range(pieces):
                    values, where = scaled[PIECE * (number % 2) : PIECE * (number % 2 + 1)], place[number % 2]
                    for e, value in enumerate(values):
                        tile = half * chunk + piece * PIECE + e
                        k.v_mul_f32(value, factor, decode.output[4 * tile + i])
                    k.v_xor_b32(where, (i * pieces + piece) * PIECE * F32_BYTES, base)
                    offset = self.region.offset + half * 128 * F32_BYTES
                    k.ds_write_b128(where, values, offset=offset, tokens=(WHERE_PARTS,))
                    number += 1
        k.free(base, free, place, step, scaled)

    def _store(self) -> None:
        """Add up the parts of four rows, four elements of one in a lane at a time, and store them."""
        k, decode = self.k, self.decode
        row, column = k.vgpr("stored row"), k.vgpr("stored piece")
        where, offset, query = k.vgpr("parts place"), k.vgpr("O offset"), k.vgpr("query")
        k.v_lshrrev_b32(row, ROWS.bit_length() - 1, decode.lane)
        first = k.sgpr("first stored row")
        k.s_lshl_b32(first, decode.wave, (ROWS // WAVES).bit_length() - 1)
        k.v_add_u32(row, first, row)
        k.v_and_b32(column, ROWS - 1, decode.lane)
        k.v_xor_b32(where, column, row)
        k.v_lshlrev_b32(where, (PIECE * F32_BYTES).bit_length() - 1, where)
        k.v_lshl_add_u32(where, row, (self.size * F32_BYTES).bit_length() - 1, where)
        name = "P" if decode.partial else "O"
        element = F32_BYTES if decode.partial else 2
        split = decode.split if decode.partial else None
        view = decode.rows.view("o", decode.pointers[name], decode.batch, decode.config.d, element, split)
        decode.rows.write_offset(offset, query, row, "o", element)
        k.v_lshl_add_u32(offset, column, (PIECE * element).bit_length() - 1, offset)
        parts = [k.vgpr(f"part {wave}", self.size // ROWS, align=4) for wave in range(WAVES)]
        groups = self.size // (ROWS * PIECE)
        for group in range(groups):
            for wave, part in enumerate(parts):
                at = self.region.offset + wave * self.part_bytes + group * ROWS * PIECE * F32_BYTES
                k.ds_read_b128(part[PIECE * group : PIECE * (group + 1)], where, offset=at)
        with rounder(k, "O", decode.config.dtype) as rounding:
            for group in range(groups):
                first, *others = (part[PIECE * group : PIECE * (group + 1)] for part in parts)
                k.wait(first, *others, reason="all waves' parts")
                for other in others:
                    for pair in (0, 2):
                        k.v_pk_add_f32(first[pair : pair + 2], first[pair : pair + 2], other[pair : pair + 2])
                self._store_piece(rounding, first, group, view, offset, column)

    def _store_piece(
        self, rounding: Rounder, values: Register, group: int, view: Register, offset: Register, column: Register
    ) -> None:
        k, d, partial = self.k, self.decode.config.d, self.decode.partial
        here = (d - group * ROWS * PIECE) // PIECE
        if here <= 0:
            return
        if here < ROWS:
            k.v_cmp_gt_u32(VCC, here, column)
            k.v_cndmask_b32(offset, OUT_OF_RANGE_OPERAND, offset, VCC)
        element = F32_BYTES if partial else 2
        at = group * ROWS * PIECE * element
        if partial:
            k.buffer_store_dwordx4(values, offset, view, 0, offset=at)
            return
        for word in (0, 1):
            rounding.pack(values[word], list(values[2 * word : 2 * word + 2]))
        k.buffer_store_dwordx2(values[0:2], offset, view, 0, offset=at)
