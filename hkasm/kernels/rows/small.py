"""Elements of less than 8 bits: rounded by gfx950's block-scaled conversions, packed without space, stored.

A lane's chunk of 8 elements (4 of f32) is 32 bits of fp4 or 48 of 6 bits (16 and 24). 6-bit chunks of four lanes make
whole dwords: three of the four lanes store them, each its own bits and some of the next lane's. Where rows are no whole
dwords, a lane stores its bytes one by one.
"""

from __future__ import annotations

from hkasm.isa.registers import VCC, Register
from hkasm.kernels.rows.engine import Rows
from hkasm.tiles.memory import OUT_OF_RANGE_OPERAND

GROUP = 16
"""Registers of each source of the 6-bit conversion: even elements, odd elements."""
NEXT_LANE = 0b11_11_10_01
"""DPP quad_perm: each lane of four reads the next, the last one itself."""
QUAD = 4


class SmallFloats:
    """Rounds chunks to fp4, fp6 or bf6 and stores them in Y."""

    def __init__(self, rows: Rows, dtype: str) -> None:
        self.rows, self.k, self.dtype = rows, rows.k, dtype
        self.words = -(-rows.chunk * (4 if dtype == "fp4" else 6) // 32)
        """Registers of a packed chunk."""
        if dtype == "fp4":
            self.codes = self.k.vgpr("codes", self.words)
            return
        k, half = self.k, rows.chunk // 2
        self.sources = k.vgpr("even, odd", GROUP + half, align=2)
        for register in self.sources[2 * half :]:
            k.v_mov_b32(register, 0)
        self.codes = k.vgpr("codes", 6)
        self.next = k.vgpr("codes of the next lane", self.words)
        self.stored = k.vgpr("stored words", self.words)
        self.shift, self.apart, quarter = k.vgpr("bits of the lane before"), k.vgpr("place in four"), k.vgpr("quarter")
        self.last, self.third = k.sgpr("lanes that store", 2), k.sgpr("third lanes", 2)
        k.v_and_b32(quarter, QUAD - 1, k.lane)
        k.v_cmp_ne_u32(self.last, QUAD - 1, quarter)
        k.v_cmp_eq_u32(self.third, 2, quarter)
        # Four lanes have words for three: a lane's begin a quarter of that behind its own bits.
        k.v_lshlrev_b32(self.shift, (8 * self.words).bit_length() - 1, quarter)
        k.v_mul_u32_u24(self.apart, self.words, quarter)
        k.free(quarter)

    def store(self, c: int, chunk: Register, scale: Register) -> None:
        """Store chunk `c` of f32 values, each over 2 ** (exponent of `scale` - 127), saturated; the values stay."""
        if self.dtype == "fp4":
            self._fours(chunk, scale)
        else:
            self._sixes(chunk, scale)
        rows, k = self.rows, self.k
        tensor, view = rows.tensor("Y"), rows.views["Y"]
        rows.seek(tensor, c)

        def aligned() -> None:
            if self.dtype == "fp4":
                store = k.buffer_store_dword if rows.chunk == 8 else k.buffer_store_short
                store(self.codes, rows.place, view, 0)
            else:
                self._store_sixes(view)

        rows.either(True, aligned, lambda: rows.store_bytes(view, self.codes[: self.words], tensor.bytes(rows.chunk)))

    def _fours(self, chunk: Register, scale: Register) -> None:
        k = self.k
        if len(chunk) < 8:
            k.v_mov_b32(self.codes, 0)
        for pair in range(len(chunk) // 2):
            k.v_cvt_scalef32_pk_fp4_f32(self.codes, chunk[2 * pair], chunk[2 * pair + 1], scale, op_sel=pair << 2)

    def _sixes(self, chunk: Register, scale: Register) -> None:
        """Round a chunk: the sources overlap, so that what follows the chunk's elements is repeated or zero."""
        k, half = self.k, len(chunk) // 2
        even, odd = self.sources[:half], self.sources[half : 2 * half]
        for pair in range(0, half, 2):
            low, high = chunk[2 * pair : 2 * pair + 2], chunk[2 * pair + 2 : 2 * pair + 4]
            k.v_pk_mov_b32(even[pair : pair + 2], low, high)
            k.v_pk_mov_b32(odd[pair : pair + 2], low, high, op_sel=3)
        convert = k.v_cvt_scalef32_2xpk16_fp6_f32 if self.dtype == "fp6" else k.v_cvt_scalef32_2xpk16_bf6_f32
        convert(self.codes, self.sources[:GROUP], self.sources[half : half + GROUP], scale)
        last = self.codes[self.words - 1]
        if self.words == 2:
            k.v_and_b32(last, 0xFFFF, last)
        else:
            k.v_and_b32(last, 0xFF_FFFF, last)

    def _store_sixes(self, view: Register) -> None:
        k, rows, own, following, stored = self.k, self.rows, self.codes, self.next, self.stored
        for target, source in zip(following, own, strict=False):
            k.v_mov_b32(target, source, dpp_ctrl=NEXT_LANE)
        if self.words == 2:  # 48 bits, then the next lane's: from bit 0, 16 or 32 on
            k.v_lshl_or_b32(own[1], following[0], 16, own[1])
            k.v_alignbit_b32(following[0], following[1], following[0], 16)
            k.v_alignbit_b32(stored[0], own[1], own[0], self.shift)
            k.v_alignbit_b32(stored[1], following[0], own[1], self.shift)
            k.v_cndmask_b32(stored[0], stored[0], own[1], self.third)
            k.v_cndmask_b32(stored[1], stored[1], following[0], self.third)
        else:  # 24 bits, then the next lane's: from bit 0, 8 or 16 on
            k.v_lshl_or_b32(own[0], following, 24, own[0])
            k.v_lshrrev_b32(following, 8, following)
            k.v_alignbit_b32(stored, following, own[0], self.shift)
        k.v_add_u32(rows.place, self.apart, rows.place)
        k.s_mov_b64(VCC, self.last)
        k.v_cndmask_b32(rows.place, OUT_OF_RANGE_OPERAND, rows.place, VCC)
        (k.buffer_store_dwordx2 if self.words == 2 else k.buffer_store_dword)(stored, rows.place, view, 0)
