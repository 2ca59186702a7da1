"""Rows to 8-bit floats, with a factor given for the tensor or found for every row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hkasm.asm.program import Program
from hkasm.isa.registers import VCC, Register
from hkasm.kernels.kernel import Arrays, Comparison, compare
from hkasm.kernels.parameters import parameter
from hkasm.kernels.rows.engine import Rows
from hkasm.kernels.rows.kernel import RowsKernel
from hkasm.kernels.rows.problem import HALF_STEP, HARDWARE, RowsProblem
from hkasm.kernels.rows.spans import Extra, RowsConfig, Tensor
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER, BufferView
from hkasm.tiles.ops.common import f32_bits
from hkasm.tiles.ops.lanes import lanes

LARGEST = {("fp8", "gfx950"): 448, ("fp8", "gfx942"): 240, ("bf8", "gfx950"): 57344, ("bf8", "gfx942"): 57344}
"""Largest finite values (OCP 8-bit floats on gfx950, FNUZ on gfx942)."""
LEAST = 2.0**-100
"""A row's largest magnitude counts as this at least, so that its reciprocal is a finite number."""


@dataclass(frozen=True)
class QuantiseConfig(RowsConfig):
    """What changes the code."""

    out: str = parameter("fp8", "element type of Y", choices=("fp8", "bf8"))
    per: str = parameter("row", "what has a factor of its own", choices=("row", "tensor"))

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return Y and X."""
        return Tensor("Y", self.out, "write"), Tensor("X", self.dtype)

    @property
    def extras(self) -> tuple[Extra, ...]:
        """Return the rows' scales, which are stored, or the factor."""
        return (Extra("S", "f32", 1, "write"),) if self.per == "row" else (Extra("factor", "f32"),)


@dataclass(frozen=True)
class QuantiseProblem(QuantiseConfig, RowsProblem):
    """Y = X * factor, saturated; or by row Y = X / S with S = the row's largest magnitude / Y's largest number."""

    factor: int = parameter(100, "factor of all elements, per=tensor", low=1, high=1 << 20)
    arch: str = parameter("gfx950", "whose 8-bit floats: gfx950 OCP, gfx942 FNUZ", choices=("gfx942", "gfx950"))

    @property
    def extra_values(self) -> tuple[str | int | float, ...]:
        """Return the scales' array or the factor."""
        return ("S",) if self.per == "row" else (float(self.factor),)

    @property
    def chip(self) -> str:
        """Return whose 8-bit floats are meant."""
        return self.arch

    def outputs(self) -> Arrays:
        """Return Y and, by row, S."""
        scales = {"S": np.full(self.rows, np.nan, np.float32)} if self.per == "row" else {}
        return super().outputs() | scales

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare with float64: by row two half steps of the reciprocal and two products, per tensor one product.

        NaN stays NaN. A row with an infinity has an infinite scale and the infinity becomes NaN, numbers zero.
        """
        x, most = self.wide("X", inputs), LARGEST[self.out, self.arch]
        if self.per == "tensor":
            want = np.clip(x * self.factor, -most, most)
            return self.judged("Y", outputs, want, HALF_STEP * np.abs(want), "2^-24")
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
    """Rows as 8-bit floats: by a factor given for the tensor, or scaled to the range row by row, scales stored."""

    name = "quantise"
    config_type = QuantiseConfig
    problem_type = QuantiseProblem

    def write(self, arch: str, config: QuantiseConfig) -> Program:
        """Write the program: a maximum over the row where it has a scale, then product and rounding."""
        rows = self.begin(arch, config)
        k, most = rows.k, LARGEST[config.out, arch]
        x = rows.new("x")
        rows.load(*rows.whole("X", x))
        factor: Register
        if config.per == "row":
            factor = self._factor(rows, x, most)
        else:
            factor = rows.values["factor"]
            low, high = k.vgpr("lowest"), k.vgpr("highest")
            k.v_mov_b32(low, f32_bits(-most))
            k.v_mov_b32(high, f32_bits(most))
            clamped = k.vgpr("clamped")
        for c, chunk in enumerate(x):
            with lanes(k, *x) as alu:
                alu.mul(list(chunk), list(chunk), factor)
            for element in chunk if config.per == "tensor" else ():
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
