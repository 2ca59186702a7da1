"""Views of global memory through buffer descriptors."""

from __future__ import annotations

from dataclasses import dataclass

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register

RAW_BUFFER = 0x0002_0000
"""Descriptor word 3 of a raw buffer: DATA_FORMAT 32, no swizzle, no index (CDNA3 ISA, buffer resource descriptor)."""
ADDRESS_HIGH_MASK = 0xFFFF
"""Bits 47:32 of the base in word 1; the stride above them is 0."""


@dataclass(frozen=True)
class BufferView:
    """A raw buffer over part of a tensor: lanes past its last byte read zero, and their stores are dropped."""

    descriptor: Register

    def place(self, k: Builder, pointer: Register, row: Register, pitch: Register, temporary: Register) -> None:
        """Start the view at row `row` of a tensor at `pointer` with `pitch` bytes a row; 64-bit, any size of tensor."""
        low, high = self.descriptor[0], self.descriptor[1]
        k.s_mul_i32(low, row, pitch)
        k.s_mul_hi_u32(temporary, row, pitch)
        k.s_add_u32(low, low, pointer[0])
        k.s_addc_u32(high, temporary, pointer[1])

    def move(self, k: Builder, bytes_: int | Register) -> None:
        """Move the start on by a number of bytes."""
        k.s_add_u32(self.descriptor[0], self.descriptor[0], bytes_)
        k.s_addc_u32(self.descriptor[1], self.descriptor[1], 0)

    def limit(self, k: Builder, rows: Register, pitch: Register, last: Register, temporary: Register) -> None:
        """End the view after `rows` rows (at least 1) of `pitch` bytes, the last of them `last` bytes long."""
        k.s_sub_u32(temporary, rows, 1)
        k.s_mul_i32(temporary, temporary, pitch)
        k.s_add_u32(self.descriptor[2], temporary, last)
        k.s_and_b32(self.descriptor[1], self.descriptor[1], ADDRESS_HIGH_MASK)
        k.s_mov_b32(self.descriptor[3], RAW_BUFFER)
