"""Rows to small floats, with a factor given for the tensor, or found for every row or block of 32 elements.

Blocks are those of the OCP Microscaling Formats specification 1.0 (MXFP8, MXFP6, MXFP4): a power of two each, E8M0, its
exponent that of the largest magnitude less the largest exponent of the element type (section 6.3), at least 2^-127.
Elements are rounded to nearest even and saturated: what lies between the largest number and the next power of two
becomes the largest number.

The 8-bit types have a NaN: it stays one, and says nothing of its block's scale; a block with an infinity has the scale
of the largest numbers, whose infinite elements are saturated. The types of 6 and 4 bits have neither: a block with a
NaN or an infinity gets the scale NaN (code 255), and its elements mean nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.isa.registers import VCC, Register
from hkasm.kernels.kernel import Arrays, Comparison, compare
from hkasm.kernels.parameters import parameter
from hkasm.kernels.rows.engine import Rows
from hkasm.kernels.rows.kernel import RowsKernel
from hkasm.kernels.rows.problem import HALF_STEP, HARDWARE, Floats, RowsProblem
from hkasm.kernels.rows.small import SmallFloats
from hkasm.kernels.rows.spans import Extra, RowsConfig, Tensor
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER, BufferView
from hkasm.tiles.ops.common import f32_bits
from hkasm.tiles.ops.crosslane import reduce_lanes
from hkasm.tiles.ops.lanes import lanes

LARGEST = {("fp8", "gfx950"): 448, ("fp8", "gfx942"): 240, ("bf8", "gfx950"): 57344, ("bf8", "gfx942"): 57344}
"""Largest finite values (OCP 8-bit floats on gfx950, FNUZ on gfx942)."""
LARGEST_SMALL = {"fp6": 7.5, "bf6": 28.0, "fp4": 6.0}
EXPONENTS = {"fp8": 8, "bf8": 15, "fp6": 2, "bf6": 4, "fp4": 2}
"""Largest exponents of the OCP types: e4m3, e5m2, e2m3, e3m2, e2m1."""
SMALL: dict[str, Any] = {
    "fp6": ml_dtypes.float6_e2m3fn, "bf6": ml_dtypes.float6_e3m2fn, "fp4": ml_dtypes.float4_e2m1fn
}  # fmt: skip
"""Types of less than 8 bits; MX alone."""
NOT_A_NUMBER = 255
"""The E8M0 code of NaN, and the exponent field of an f32 that is no number."""
MAGNITUDE = 0x7FFF_FFFF
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

    out: str = parameter(
        "fp8", "element type of Y: e4m3, e5m2; by block also e2m3, e3m2, e2m1", choices=("fp8", "bf8", *SMALL)
    )
    per: str = parameter("row", "what has a factor of its own", choices=("row", "tensor", "block"))

    def __post_init__(self) -> None:
        if self.out in SMALL and self.per != "block":
            raise UsageError(f"out={self.out} with per={self.per}: not declared", hint="MX types are scaled by block")

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
            raise UsageError(f"per=block is not declared for {arch}", hint="MX types are OCP's: gfx950; or per=row")


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
        QuantiseConfig.__post_init__(self)
        RowsProblem.__post_init__(self)
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
        x = self.wide("X", inputs)
        if self.out in SMALL:
            return self._check_small(x, outputs)
        most = LARGEST[self.out, self.arch]
        if self.per == "tensor":
            want = np.clip(x * self.factor, -most, most)
            return self.judged("Y", outputs, want, HALF_STEP * np.abs(want), "2^-24")
        if self.per == "block":
            codes = self._codes(np.fmax, x)
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

    def _codes(self, largest: np.ufunc, x: Floats) -> npt.NDArray[np.int64]:
        """Return the scales' codes [rows, blocks] before what is special about 255."""
        padded = np.pad(np.abs(x), ((0, 0), (0, -self.n % BLOCK))).reshape(self.rows, -1, BLOCK)
        found = largest.reduce(padded, axis=2, initial=0.0).astype(np.float32)
        codes: npt.NDArray[np.int64] = (found.view(np.uint32) >> 23).astype(np.int64)
        return np.maximum(codes - EXPONENTS[self.out], 0)

    def _check_small(self, x: Floats, outputs: Arrays) -> list[Comparison]:
        """Compare the bits of elements and scales; elements of a block whose scale is NaN may be anything."""
        tensor, kind = self.tensors[0], SMALL[self.out]
        numbers = self._codes(np.maximum, x)
        lost = numbers == NOT_A_NUMBER - EXPONENTS[self.out]
        scales = np.where(lost, NOT_A_NUMBER, numbers)
        with np.errstate(invalid="ignore"):
            scaled = np.repeat(np.exp2(127.0 - numbers), BLOCK, axis=1)[:, : self.n] * x
        most = LARGEST_SMALL[self.out]
        wanted = np.clip(np.nan_to_num(scaled, nan=0.0), -most, most).astype(np.float32).astype(kind).view(np.uint8)
        flat = outputs["Y"]
        packed = np.ascontiguousarray(self.matrix(tensor, flat))
        planes = np.unpackbits(packed, axis=1, bitorder="little", count=self.n * tensor.bits)
        got = np.packbits(planes.reshape(self.rows, self.n, tensor.bits), axis=2, bitorder="little")[..., 0]
        wanted = np.where(np.repeat(lost, BLOCK, axis=1)[:, : self.n], got, wanted)
        behind = packed[:, -1] >> (self.n * tensor.bits % 8 or 8)
        exact = [
            compare("Y", got, wanted.astype(np.float64), np.zeros(got.shape), "the same bits"),
            compare("bits behind a row of Y", behind, np.zeros(self.rows), np.zeros(self.rows), "zero"),
            compare("S", outputs["S"], scales.ravel().astype(np.float64), np.zeros(scales.size), "no error"),
        ]
        return exact + self.between(tensor, flat)

    @property
    def flops(self) -> int:
        return self.rows * self.n


class QuantiseKernel(RowsKernel[QuantiseConfig, QuantiseProblem]):
    """Rows as small floats: by a factor for the tensor, or scaled by row or block (MXFP8, 6, 4), scales stored."""

    name = "quantise"
    config_type = QuantiseConfig
    problem_type = QuantiseProblem

    def write(self, arch: str, config: QuantiseConfig) -> Program:
        """Write the program: a maximum over the row where it has a scale, then product and rounding."""
        config.require(arch)
        rows = self.begin(arch, config)
        k = rows.k
        x = rows.new("x")
        rows.load(*rows.whole("X", x))
        if config.out in SMALL:
            scales = self._block_scales(rows, x, config)
            small = SmallFloats(rows, config.out)
            for c, chunk in enumerate(x):
                small.store(c, chunk, scales[c])
            rows.end()
            return k.finish()
        most = LARGEST[config.out, arch]
        if config.per == "row":
            factors = [self._factor(rows, x, most)] * rows.chunks
        elif config.per == "block":
            factors = self._block_scales(rows, x, config)
            for factor in factors:
                k.v_sub_u32(factor, 254 << 23, factor)
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

    def _block_scales(self, rows: Rows, x: list[Register], config: QuantiseConfig) -> list[Register]:
        """Store the codes of all blocks and return the scales of the lane's chunks: 2 ** (code - 127) in f32's bits."""
        k = rows.k
        view, pitch, temporary = k.sgpr("buffer S", 4), k.sgpr("blocks of a row"), k.sgpr("temporary")
        k.s_add_u32(pitch, rows.values["n"], BLOCK - 1)
        k.s_lshr_b32(pitch, pitch, BLOCK.bit_length() - 1)
        BufferView(view).place(k, rows.values["S"], rows.row, pitch, temporary)
        k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
        k.s_mov_b32(view[2], pitch)
        k.s_mov_b32(view[3], RAW_BUFFER)
        scales = [k.vgpr("scale") for _ in x]
        for scale, chunk in zip(scales, x, strict=True):
            k.v_mov_b32(scale, 0)
            if config.out in SMALL:  # NaN counts, and is larger than infinity as a whole number
                for pair in range(0, len(chunk), 2):
                    k.v_maximum3_f32(scale, scale, chunk[pair], chunk[pair + 1], abs=0b110)
                k.v_and_b32(scale, MAGNITUDE, scale)
            else:
                for element in chunk:
                    k.v_max_f32(scale, scale, element, abs=0b10)
        combine = k.v_max_u32 if config.out in SMALL else k.v_max_f32
        reduce_lanes(k, combine, scales, QUAD_BITS, None)
        for scale in scales if BLOCK // rows.chunk == 8 else ():
            combine(scale, scale, scale, dpp_ctrl=ROW_HALF_MIRROR)
        place, within = k.vgpr("place of a code"), k.vgpr("place in a block")
        for c, scale in enumerate(scales):
            k.v_lshrrev_b32(scale, 23, scale)
            if config.out in SMALL:
                k.v_cmp_eq_u32(VCC, NOT_A_NUMBER, scale)
            k.v_sub_u32(scale, scale, EXPONENTS[config.out])
            k.v_max_i32(scale, 0, scale)
            if config.out in SMALL:
                k.v_mov_b32(place, NOT_A_NUMBER)
                k.v_cndmask_b32(scale, scale, place, VCC)
            k.v_and_b32(within, BLOCK - 1, rows.column)
            k.v_add_u32(place, rows.first(c), rows.column)
            k.v_lshrrev_b32(place, BLOCK.bit_length() - 1, place)
            k.v_cmp_eq_u32(VCC, 0, within)
            k.v_cndmask_b32(place, OUTSIDE, place, VCC)
            k.buffer_store_byte(scale, place, view, 0)
            k.v_lshlrev_b32(scale, 23, scale)
        k.free(place, within, view, pitch, temporary)
        return scales
