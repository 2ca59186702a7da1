"""Coalesced stores of the GEMM's packed results, with masks at the right edge.

A lane holds runs of consecutive columns of one row; the lane groups of a wave make whole segments. Rows past M are
dropped by the buffer's end. Columns past N are masked: whole runs go by the widest stores where C's alignment allows
it, whole pairs of 16 bits by 4-byte stores where it allows only that, and what is left goes element by element.
"""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Label
from hkasm.isa.registers import EXEC, VCC, Register
from hkasm.kernels.gemm.declared import GemmConfig
from hkasm.kernels.gemm.finish import Finish
from hkasm.kernels.gemm.plan import CHUNK_BYTES, DWORD_BYTES, HALVES
from hkasm.kernels.gemm.registers import Registers
from hkasm.tiles.lanes import write_table


class Store:
    """Writes the stores of the kernel."""

    def __init__(self, k: Builder, registers: Registers, config: GemmConfig, finish: Finish) -> None:
        self.k, self.r, self.finish = k, registers, finish
        self.plan, self.bits = registers.plan, config.bits("C")
        self.run = self.plan.run
        self.rows = [(half, i) for half in HALVES for i in range(self.plan.a.fragments)]
        self.runs = [(half, run) for half in HALVES for run in range(self.plan.runs)]
        staging = registers.end
        self.offsets = staging[16 : 16 + len(self.rows)].named("store offsets")
        self.left = [staging[24 + number].named(f"columns left {number}") for number in range(len(self.runs))]
        self.stored = staging[7].named("columns stored")
        self.scratch = staging[0:7]
        self.whole = k.sgpr("whole units")

    def write(self) -> None:
        """Write the stores."""
        k, s = self.k, self.r.scalars
        unit_bytes = min(self.run * self.bits // 8, CHUNK_BYTES)
        with k.mark("section", "store"):
            self._setup()
            elements, words, end = k.label("store_elements"), k.label("store_words"), k.label("stored")
            k.s_or_b32(s.temporary, s.c[0], s.pitch("C"))
            k.s_and_b32(s.other, s.temporary, unit_bytes - 1)
            k.s_cbranch_scc1(words)
            self._store_runs()
            self._finish_unless_left(self.run, end)
            k.s_branch(elements)
            k.place(words)
            k.s_mov_b32(self.whole, 0)
            if self.bits == 16:
                k.s_and_b32(s.other, s.temporary, DWORD_BYTES - 1)
                k.s_cbranch_scc1(elements)
                self._store_words()
                self._finish_unless_left(2, end)
            k.place(elements)
            self._store_elements()
            k.place(end)

    def _finish_unless_left(self, unit: int, end: Label) -> None:
        """Go to `end` if the tile's columns are whole units; else keep the mask that rounds down to units."""
        k, s = self.k, self.r.scalars
        k.s_mov_b32(self.whole, -unit)
        k.s_and_b32(s.temporary, s.columns, unit - 1)
        k.s_cbranch_scc0(end)

    def _setup(self) -> None:
        """Write the byte offset of a lane's row in every fragment, and how many columns are left from each run on."""
        k, s, plan = self.k, self.r.scalars, self.plan
        row, column, free = self.scratch[0:3]
        write_table(k, row, self.r.thread, plan.row_base(), free)
        write_table(k, column, self.r.thread, plan.column_base(), free)
        k.v_mul_lo_u32(row, row, s.pitch("C"))
        if self.bits == 8:
            k.v_add_u32(row, row, column)
        else:
            k.v_lshl_add_u32(row, column, self.bits // 16, row)
        k.v_sub_u32(self.left[0], s.columns, column)
        for left, (half, run) in list(zip(self.left, self.runs, strict=True))[1:]:
            k.v_add_u32(left, -(half * plan.b.half + plan.column_step(run)), self.left[0])
        # In a register each, not in the scalar offset, which need not count against the buffer's end.
        for offset, (half, fragment) in zip(self.offsets, self.rows, strict=True):
            k.s_mul_i32(s.temporary, s.pitch("C"), half * plan.a.half + plan.row_step(fragment))
            k.v_add_u32(offset, s.temporary, row)

    def _store_runs(self) -> None:
        k, count = self.k, self.finish.run_registers
        width = min(count, CHUNK_BYTES // DWORD_BYTES)
        store = {1: k.buffer_store_dword, 2: k.buffer_store_dwordx2, 4: k.buffer_store_dwordx4}[width]
        for left, place in zip(self.left, self.runs, strict=True):
            k.v_cmp_le_i32(VCC, self.run, left)
            k.s_mov_b64(EXEC, VCC)
            for number, offset in enumerate(self.offsets):
                for first in range(0, count, width):
                    data = self._packed(number, place)[first : first + width]
                    store(data, offset, self._c, offset=self._byte(place, 0) + first * DWORD_BYTES)
            k.s_mov_b64(EXEC, self.r.everyone)

    def _store_words(self) -> None:
        k = self.k
        for left, place in zip(self.left, self.runs, strict=True):
            for word in range(self.finish.run_registers):
                k.v_cmp_lt_i32(VCC, 2 * word + 1, left)
                k.s_mov_b64(EXEC, VCC)
                for number, offset in enumerate(self.offsets):
                    k.buffer_store_dword(
                        self._packed(number, place)[word], offset, self._c, offset=self._byte(place, 2 * word)
                    )
                k.s_mov_b64(EXEC, self.r.everyone)

    def _store_elements(self) -> None:
        """Store the elements that exist and lie behind the whole units stored before."""
        k, mask = self.k, self.r.scalars.mask
        for left, place in zip(self.left, self.runs, strict=True):
            k.v_and_b32(self.stored, self.whole, left)
            for element in range(self.run):
                k.v_cmp_lt_i32(VCC, element, left)
                k.v_cmp_ge_i32(mask, element, self.stored)
                k.s_and_b64(EXEC, VCC, mask)
                for number, offset in enumerate(self.offsets):
                    self._store_element(self._packed(number, place), element, offset, self._byte(place, element))
                k.s_mov_b64(EXEC, self.r.everyone)

    def _store_element(self, data: Register, element: int, offset: Register, byte: int) -> None:
        k, (number, within) = self.k, divmod(element * self.bits, 32)
        if within % 16:  # the odd bytes: byte 1 or 3 moves to the lowest
            moved = self.scratch[element % 4]
            source = data[number]
            if source.file == "a":
                k.v_accvgpr_read_b32(moved, source)
                source = moved
            k.v_lshrrev_b32(moved, within, source)
            k.buffer_store_byte(moved, offset, self._c, offset=byte)
            return
        stores = {
            32: (k.buffer_store_dword, k.buffer_store_dword),
            16: (k.buffer_store_short, k.buffer_store_short_d16_hi),
            8: (k.buffer_store_byte, k.buffer_store_byte_d16_hi),
        }
        stores[self.bits][within // 16](data[number], offset, self._c, offset=byte)

    @property
    def _c(self) -> Register:
        return self.r.c.descriptor

    def _packed(self, row: int, place: tuple[int, int]) -> Register:
        (a_half, fragment), (b_half, run) = self.rows[row], place
        return self.finish.output(a_half, b_half, fragment, run)

    def _byte(self, place: tuple[int, int], element: int) -> int:
        half, run = place
        return (half * self.plan.b.half + self.plan.column_step(run) + element) * self.bits // 8
