"""The end of the GEMM: accumulators to bf16, and coalesced stores with masks at the right edge.

A lane holds, for each half of A, half of B and fragment of A, eight consecutive columns of one row
(`layout.b_column`); four lane groups make 64 consecutive bytes. Rows past M are dropped by the buffer's end. Columns
past N are masked: whole chunks go by 16-byte stores where C's alignment allows it, whole pairs by 4-byte stores where
it allows only that, and what is left goes element by element.
"""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Label
from hkasm.isa.registers import EXEC, VCC, Register
from hkasm.kernels.gemm import layout
from hkasm.kernels.gemm.registers import Registers

HALVES = (0, 1)
BF16_BIAS = 0x7FFF
"""Added with the lowest kept bit, carries into the upper half exactly when round-to-nearest-even rounds up."""
QUIET_BIT = 0x0040_0000
UPPER_HALVES = 0x0706_0302
"""v_perm_b32 selector: the upper halves of both sources."""


class Store:
    """Writes the epilogue of the kernel."""

    def __init__(self, k: Builder, registers: Registers) -> None:
        self.k, self.r = k, registers
        temporaries = registers.staging
        self.scratch = temporaries[0:8]
        self.offsets = temporaries[8:16].named("store offsets")
        self.left = [temporaries[16 + half].named(f"columns left {half}") for half in HALVES]
        self.stored = temporaries[18].named("columns stored")
        self.nan_masks = k.sgpr("nan masks", 8)
        self.whole = k.sgpr("whole units")
        self.bias, self.selector = k.sgpr("rounding bias"), k.sgpr("upper halves")

    def write(self) -> None:
        """Write conversion and stores."""
        k = self.k
        with k.mark("section", "convert"):
            self._convert()
        with k.mark("section", "store"):
            self._setup()
            elements, words, end = k.label("store_elements"), k.label("store_words"), k.label("stored")
            s = self.r.scalars
            k.s_or_b32(s.temporary, s.c[0], s.pitch("C"))
            k.s_and_b32(s.other, s.temporary, layout.CHUNK_BYTES - 1)
            k.s_cbranch_scc1(words)
            self._store_chunks()
            self._finish_unless_left(layout.CHUNK_ELEMENTS, end)
            k.s_branch(elements)
            k.place(words)
            k.s_and_b32(s.other, s.temporary, layout.DWORD_BYTES - 1)
            k.s_mov_b32(self.whole, 0)
            k.s_cbranch_scc1(elements)
            self._store_words()
            self._finish_unless_left(layout.DWORD_BYTES // layout.ELEMENT_BYTES, end)
            k.place(elements)
            self._store_elements()
            k.place(end)

    def _finish_unless_left(self, unit: int, end: Label) -> None:
        """Go to `end` if the tile's columns are whole units; else keep the mask that rounds down to units."""
        k, s = self.k, self.r.scalars
        k.s_mov_b32(self.whole, -unit)
        k.s_and_b32(s.temporary, s.columns, unit - 1)
        k.s_cbranch_scc0(end)

    # Conversion.

    def _convert(self) -> None:
        """Round every accumulator to bf16 and pack eight columns into four registers, where the fragments were."""
        self.k.s_movk_i32(self.bias, BF16_BIAS)
        self.k.s_mov_b32(self.selector, UPPER_HALVES)
        for a_half in HALVES:
            for b_half in HALVES:
                for i in range(layout.A_FRAGMENTS):
                    target = self.r.output[a_half, b_half, i]
                    for j in range(layout.B_FRAGMENTS):
                        values = self._values(self.r.accumulators[a_half, b_half, i, j])
                        self._round(target[2 * j : 2 * j + 2], values)

    def _values(self, accumulator: Register) -> list[Register]:
        """Return four accumulators in VGPRs."""
        if accumulator.file == "v":
            return list(accumulator)
        values = list(self.scratch[0:4])
        for value, source in zip(values, accumulator, strict=True):
            self.k.v_accvgpr_read_b32(value, source)
        return values

    def _round(self, target: Register, values: list[Register]) -> None:
        """Round four f32 to nearest even and pack them into two registers."""
        k = self.k
        if k.arch.name == "gfx950":
            k.v_cvt_pk_bf16_f32(target[0], values[0], values[1])
            k.v_cvt_pk_bf16_f32(target[1], values[2], values[3])
            return
        rounded = list(self.scratch[4:8])
        masks = [self.nan_masks[2 * i : 2 * i + 2] for i in range(4)]
        for value, mask in zip(values, masks, strict=True):
            k.v_cmp_u_f32(mask, value, value)
        for value, result in zip(values, rounded, strict=True):
            k.v_bfe_u32(result, value, 16, 1)
        for value, result in zip(values, rounded, strict=True):
            k.v_add3_u32(result, value, result, self.bias)
        for value in values:
            k.v_or_b32(value, QUIET_BIT, value)
        for value, result, mask in zip(values, rounded, masks, strict=True):
            k.v_cndmask_b32(result, result, value, mask)
        for pair in (0, 1):
            k.v_perm_b32(target[pair], rounded[2 * pair + 1], rounded[2 * pair], self.selector)

    # Where a lane stores.

    def _setup(self) -> None:
        """Write the byte offset of a lane's row in every fragment, and how many columns are left from its first on."""
        k, s = self.k, self.r.scalars
        row, column = self.scratch[0].named("row"), self.scratch[1].named("column")
        k.v_and_b32(row, layout.FRAGMENT - 1, self.r.lane)
        k.s_mul_i32(s.temporary, s.wave_row, layout.A_FRAGMENTS * layout.FRAGMENT)
        k.v_add_u32(row, s.temporary, row)
        k.v_lshrrev_b32(column, layout.log2(layout.FRAGMENT), self.r.lane)
        k.s_mul_i32(s.temporary, s.wave_column, layout.B_FRAGMENTS * layout.FRAGMENT)
        k.v_lshlrev_b32(column, layout.log2(layout.CHUNK_ELEMENTS), column)
        k.v_add_u32(column, s.temporary, column)
        k.v_mul_lo_u32(row, row, s.pitch("C"))
        k.v_lshl_add_u32(row, column, 1, row)
        k.v_sub_u32(self.left[0], s.columns, column)
        k.v_add_u32(self.left[1], -layout.HALF, self.left[0])
        # In a register each, not in the scalar offset, which need not count against the buffer's end.
        for index, offset in enumerate(self.offsets):
            half, i = divmod(index, layout.A_FRAGMENTS)
            k.s_mul_i32(s.temporary, s.pitch("C"), half * layout.HALF + i * layout.FRAGMENT)
            k.v_add_u32(offset, s.temporary, row)

    # Stores.

    def _store_chunks(self) -> None:
        k = self.k
        for half in HALVES:
            k.v_cmp_le_i32(VCC, layout.CHUNK_ELEMENTS, self.left[half])
            k.s_mov_b64(EXEC, VCC)
            for row, offset in enumerate(self.offsets):
                k.buffer_store_dwordx4(self._chunk(half, row), offset, self._c, offset=self._byte(half, 0))
            k.s_mov_b64(EXEC, -1)

    def _store_words(self) -> None:
        k = self.k
        for half in HALVES:
            for word in range(layout.CHUNK_BYTES // layout.DWORD_BYTES):
                element = word * layout.DWORD_BYTES // layout.ELEMENT_BYTES
                k.v_cmp_lt_i32(VCC, element + 1, self.left[half])
                k.s_mov_b64(EXEC, VCC)
                for row, offset in enumerate(self.offsets):
                    data = self._chunk(half, row)[word]
                    k.buffer_store_dword(data, offset, self._c, offset=self._byte(half, element))
                k.s_mov_b64(EXEC, -1)

    def _store_elements(self) -> None:
        """Store the elements that exist and lie behind the whole units stored before."""
        k, mask = self.k, self.r.scalars.mask
        for half in HALVES:
            k.v_and_b32(self.stored, self.whole, self.left[half])
            for element in range(layout.CHUNK_ELEMENTS):
                k.v_cmp_lt_i32(VCC, element, self.left[half])
                k.v_cmp_ge_i32(mask, element, self.stored)
                k.s_and_b64(EXEC, VCC, mask)
                store = k.buffer_store_short_d16_hi if element % 2 else k.buffer_store_short
                for row, offset in enumerate(self.offsets):
                    data = self._chunk(half, row)[element // 2]
                    store(data, offset, self._c, offset=self._byte(half, element))
                k.s_mov_b64(EXEC, -1)

    @property
    def _c(self) -> Register:
        return self.r.c.descriptor

    def _chunk(self, b_half: int, row: int) -> Register:
        a_half, i = divmod(row, layout.A_FRAGMENTS)
        return self.r.output[a_half, b_half, i]

    def _byte(self, half: int, element: int) -> int:
        return (half * layout.HALF + element) * layout.ELEMENT_BYTES
