"""Rounding of f32 values to the GEMM's element types, four at a time, to nearest even."""

from __future__ import annotations

from collections.abc import Sequence

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register

BF16_BIAS = 0x7FFF
"""Added with the lowest kept bit, carries into the upper half exactly when round-to-nearest-even rounds up."""
QUIET_BIT = 0x0040_0000
UPPER_HALVES = 0x0706_0302
"""v_perm_b32 selector: the upper halves of both sources."""
MODE_REGISTER, FP16_OVFL_BIT = 1, 23

Values = Sequence[Register]


class Rounding:
    """Rounds to one element type: ``f16``, ``bf16``, ``fp8`` or ``bf8``."""

    def __init__(self, k: Builder, dtype: str) -> None:
        self.k, self.dtype = k, dtype
        if dtype == "bf16" and k.arch.name == "gfx942":
            self.bias, self.selector = k.sgpr("rounding bias"), k.sgpr("upper halves")
            self.masks = [k.sgpr(f"nan mask {number}", 2) for number in range(4)]

    def setup(self) -> None:
        """Write what the conversions need once."""
        k = self.k
        if self.dtype == "bf16" and k.arch.name == "gfx942":
            k.s_movk_i32(self.bias, BF16_BIAS)
            k.s_mov_b32(self.selector, UPPER_HALVES)
        if self.dtype in ("fp8", "bf8"):
            # Too large becomes the largest, not NaN.
            k.s_setreg_imm32_b32(MODE_REGISTER | FP16_OVFL_BIT << 6, 1)

    def pack(self, target: Values, values: Values, free: Values) -> None:
        """Round four values, which may be overwritten, into two registers of 16-bit elements or one of 8-bit ones.

        Of the `free` registers four may be overwritten.
        """
        if self.dtype == "f16":
            self._f16(target, values)
        elif self.dtype == "bf16":
            self._bf16(target, values, free)
        else:
            self._eight(target, values, free)

    def _f16(self, target: Values, values: Values) -> None:
        k = self.k
        for value in values:
            k.v_cvt_f16_f32(value, value)
        for pair, result in enumerate(target):
            k.v_pack_b32_f16(result, values[2 * pair], values[2 * pair + 1])

    def _eight(self, target: Values, values: Values, free: Values) -> None:
        k = self.k
        convert = k.v_cvt_pk_fp8_f32 if self.dtype == "fp8" else k.v_cvt_pk_bf8_f32
        k.v_mov_b32(free[0], 0)
        convert(free[0], values[0], values[1])
        convert(free[0], values[2], values[3], op_sel=8)
        k.v_mov_b32(target[0], free[0])

    def _bf16(self, target: Values, values: Values, free: Values) -> None:
        k = self.k
        if k.arch.name == "gfx950":
            k.v_cvt_pk_bf16_f32(target[0], values[0], values[1])
            k.v_cvt_pk_bf16_f32(target[1], values[2], values[3])
            return
        rounded = free[0:4]
        for value, mask in zip(values, self.masks, strict=True):
            k.v_cmp_u_f32(mask, value, value)
        for value, result in zip(values, rounded, strict=True):
            k.v_bfe_u32(result, value, 16, 1)
        for value, result in zip(values, rounded, strict=True):
            k.v_add3_u32(result, value, result, self.bias)
        for value in values:
            k.v_or_b32(value, QUIET_BIT, value)
        for value, result, mask in zip(values, rounded, self.masks, strict=True):
            k.v_cndmask_b32(result, result, value, mask)
        for pair in (0, 1):
            k.v_perm_b32(target[pair], rounded[2 * pair + 1], rounded[2 * pair], self.selector)
