"""Rows to 8-bit floats, with a factor given for the tensor, or found for every row or block of 32 elements.

Blocks are those of the OCP Microscaling Formats specification 1.0 (MXFP8): a power of two each, E8M0, its exponent that
of the largest magnitude less the largest exponent of the element type.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.isa.registers import VCC, Register
from hkasm.kernels.kernel import Arrays, Comparison, compare
from hkasm.kernels.parameters import parameter
from hkasm.kernels.rows.engine import Rows
from hkasm.kernels.rows.kernel import RowsKernel
from hkasm.kernels.rows.problem import HALF_STEP, HARDWARE, RowsProblem
from hkasm.kernels.rows.spans import Extra, RowsConfig, Tensor
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER, BufferView
from hkasm.tiles.ops.common import f32_bits
from hkasm.tiles.ops.crosslane import reduce_lanes
from hkasm.tiles.ops.lanes import lanes

LARGEST = {("fp8", "gfx950"): 448, ("fp8", "gfx942"): 240, ("bf8", "gfx950"): 57344, ("bf8", "gfx942"): 57344}
"""Largest finite values (OCP 8-bit floats on gfx950, FNUZ on gfx942)."""
EXPONENTS = {"fp8": 8, "bf8": 15}
"""Largest exponents of the OCP types."""
BLOCK = 32
UNWRITTEN = 0xFF
"""A code that no block of numbers has."""
OUTSIDE = -1
QUAD_BITS = (0, 1)
ROW_HALF_MIRROR = 0x141
"""DPP control: lane i of 8 reads lane 7 - i, that is the other quad."""
LEAST = 2.0**-100
"""A row's largest magnitude counts as this at least, so that its reciprocal is a finite number."""


@dataclass(frozen=True)
class QuantiseConfig(RowsConfig):
    """What changes the code."""

    out: str = parameter("fp8", "element type of Y", choices=("fp8", "bf8"))
    per: str = parameter("row", "what has a factor of its own", choices=("row", "tensor", "block"))

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return Y and X."""
        return Tensor("Y", self.out, "write"), Tensor("X", self.dtype)

    @property
    def extras(self) -> tuple[Extra, ...]:
        """Return the scales of rows or blocks, which are stored, or the factor."""
        stored = {"row": Extra("S", "f32", 1, "write"), "block": Extra("S", "u8", 2, "write")}
        return (stored.get(self.per, Extra("factor", "f32")),)

    def require(self, arch: str) -> None:
        """Raise UsageError where there is no code for the configuration."""
        if self.per == "block" and arch != "gfx950":
            raise UsageError(f"per=block is not declared for {arch}", hint="MXFP8 is OCP's: gfx950; or per=row")


@dataclass(frozen=True)
class QuantiseProblem(QuantiseConfig, RowsProblem):
    """Y = X * factor, saturated; or Y = X / S, S found by row (its largest magnitude / Y's largest number) or block."""

    factor: int = parameter(100, "factor of all elements, per=tensor", low=1, high=1 << 20)
    arch: str = parameter("gfx950", "whose 8-bit floats: gfx950 OCP, gfx942 FNUZ", choices=("gfx942", "gfx950"))

    @property
    def extra_values(self) -> tuple[str | int | float, ...]:
        """Return the scales' array or the factor."""
        return (float(self.factor),) if self.per == "tensor" else ("S",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require(self.arch)

    @property
    def chip(self) -> str:
        """Return whose 8-bit floats are meant."""
        return self.arch

    def outputs(self) -> Arrays:
        """Return Y and, where it is not given, S: f32 by row, E8M0 codes [rows, blocks] by block."""
        scales: Arrays = {}
        if self.per == "row":
            scales = {"S": np.full(self.rows, np.nan, np.float32)}
        elif self.per == "block":
            scales = {"S": np.full(self.rows * -(-self.n // BLOCK), UNWRITTEN, np.uint8)}
        return super().outputs() | scales

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare with float64: by row two half steps of the reciprocal and two products, per tensor one product.

        By block nothing but the last rounding is off. NaN stays NaN. A row with an infinity has an infinite
        scale, the infinity becomes NaN and numbers zero.
        """
        x, most = self.wide("X", inputs), LARGEST[self.out, self.arch]
        if self.per == "tensor":
            want = np.clip(x * self.factor, -most, most)
            return self.judged("Y", outputs, want, HALF_STEP * np.abs(want), "2^-24")
        if self.per == "block":
            padded = np.pad(np.abs(x), ((0, 0), (0, -self.n % BLOCK))).reshape(self.rows, -1, BLOCK)
            largest = np.fmax.reduce(padded, axis=2, initial=0.0).astype(np.float32)
            codes = np.maximum((largest.view(np.uint32) >> 23).astype(np.int64) - EXPONENTS[self.out], 0)
            want = np.repeat(np.exp2(127.0 - codes), BLOCK, axis=1)[:, : self.n] * x
            found = self.judged("Y", outputs, np.clip(want, -most, most), np.zeros(x.shape), "0")
            exact = np.zeros(codes.size)
            return [*found, compare("S", outputs["S"], codes.ravel().astype(np.float64), exact, "no error")]
        scale = np.fmax(np.fmax.reduce(np.abs(x), axis=1), LEAST) / most
        with np.errstate(invalid="ignore"):
            want = x / scale[:, None]
        steps = (HARDWARE + 2) * HALF_STEP
        found = self.judged("Y", outputs, want, steps * np.abs(want), "4 2^-24")
        return [*found, compare("S", outputs["S"], scale, 2 * HALF_STEP * scale, "2 2^-24")]

    @property
    def flops(self) -> int:
        return self.rows * self.n


class QuantiseKernel(RowsKernel[QuantiseConfig, QuantiseProblem]):
    """Rows as 8-bit floats: by a factor given for the tensor, or scaled by row or block (MXFP8), scales stored."""

    name = "quantise"
    config_type = QuantiseConfig
    problem_type = QuantiseProblem

    def write(self, arch: str, config: QuantiseConfig) -> Program:
        """Write the program: a maximum over the row where it has a scale, then product and rounding."""
        config.require(arch)
        rows = self.begin(arch, config)
        k, most = rows.k, LARGEST[config.out, arch]
        x = rows.new("x")
        rows.load(*rows.whole("X", x))
        if config.per == "row":
            factors = [self._factor(rows, x, most)] * rows.chunks
        elif config.per == "block":
            factors = self._block_factors(rows, x, config)
        else:
            factors = [rows.values["factor"]] * rows.chunks
        if config.per != "row":
            low, high = k.vgpr("lowest"), k.vgpr("highest")
            k.v_mov_b32(low, f32_bits(-most))
            k.v_mov_b32(high, f32_bits(most))
            clamped = k.vgpr("clamped")
        for c, chunk in enumerate(x):
            with lanes(k, *x) as alu:
                alu.mul(list(chunk), list(chunk), factors[c])
            for element in chunk if config.per != "row" else ():
                k.v_med3_f32(clamped, element, low, high)
                k.v_cmp_u_f32(VCC, element, element)
                k.v_cndmask_b32(element, clamped, element, VCC)
            rows.store("Y", c, chunk)
        rows.end()
        return k.finish()

    def _factor(self, rows: Rows, x: list[Register], most: int) -> Register:
        """Store the row's scale and return the factor of its elements."""
        k = rows.k
        largest, factor = k.vgpr("largest magnitude"), k.vgpr("factor")
        k.v_mov_b32(largest, f32_bits(LEAST))
        for chunk in x:
            for element in chunk:
                k.v_max_f32(largest, largest, element, abs=0b10)
        rows.reduce(k.v_max_f32, largest)
        view, pitch, temporary = k.sgpr("buffer S", 4), k.sgpr("bytes of a scale"), k.sgpr("temporary")
        k.s_mov_b32(pitch, 4)
        BufferView(view).place(k, rows.values["S"], rows.row, pitch, temporary)
        k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
        k.s_mov_b32(view[2], pitch)
        k.s_mov_b32(view[3], RAW_BUFFER)
        k.v_mul_f32(factor, f32_bits(1 / most), largest)
        # Columns are multiples of 4: of all lanes' stores that of the row's first alone is inside.
        k.buffer_store_dword(factor, rows.column, view, 0)
        k.v_rcp_f32(factor, largest)
        k.v_mul_f32(factor, f32_bits(most), factor)
        k.free(view, pitch, temporary)
        return factor

    def _block_factors(self, rows: Rows, x: list[Register], config: QuantiseConfig) -> list[Register]:
        """Store the codes of all blocks and return the factors of the lane's chunks: 2 ** (127 - code)."""
        k = rows.k
        view, pitch, temporary = k.sgpr("buffer S", 4), k.sgpr("blocks of a row"), k.sgpr("temporary")
        k.s_add_u32(pitch, rows.values["n"], BLOCK - 1)
        k.s_lshr_b32(pitch, pitch, BLOCK.bit_length() - 1)
        BufferView(view).place(k, rows.values["S"], rows.row, pitch, temporary)
        k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
        k.s_mov_b32(view[2], pitch)
        k.s_mov_b32(view[3], RAW_BUFFER)
        factors = [k.vgpr("factor") for _ in x]
        for factor, chunk in zip(factors, x, strict=True):
            k.v_mov_b32(factor, 0)
            for element in chunk:
                k.v_max_f32(factor, factor, element, abs=0b10)
        reduce_lanes(k, k.v_max_f32, factors, QUAD_BITS, None)
        for factor in factors if BLOCK // rows.chunk == 8 else ():
            k.v_max_f32(factor, factor, factor, dpp_ctrl=ROW_HALF_MIRROR)
        place, within = k.vgpr("place of a code"), k.vgpr("place in a block")
        for c, factor in enumerate(factors):
            k.v_lshrrev_b32(factor, 23, factor)
            k.v_sub_u32(factor, factor, EXPONENTS[config.out])
            k.v_max_i32(factor, 0, factor)
            k.v_and_b32(within, BLOCK - 1, rows.column)
            k.v_add_u32(place, rows.first(c), rows.column)
            k.v_lshrrev_b32(place, BLOCK.bit_length() - 1, place)
            k.v_cmp_eq_u32(VCC, 0, within)
            k.v_cndmask_b32(place, OUTSIDE, place, VCC)
            k.buffer_store_byte(factor, place, view, 0)
            k.v_sub_u32(factor, 254, factor)
            k.v_lshlrev_b32(factor, 23, factor)
        k.free(place, within, view, pitch, temporary)
        return factors
