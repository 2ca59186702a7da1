"""Rotary position embedding: pairs of elements of every head turned by angles that tables give by position.

A wave reads its token's row of the tables once, deals it to the lanes, and walks with it over the heads and over the
sequences that have the same positions. Where there are too few tokens for the chip, sequences and then heads are dealt
to several waves, and each of these reads the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.isa.registers import Register
from hkasm.kernels.kernel import Arrays, Comparison, Launch
from hkasm.kernels.parameters import parameter
from hkasm.kernels.rows.engine import Rows
from hkasm.kernels.rows.kernel import RowsKernel
from hkasm.kernels.rows.problem import HALF_STEP, Floats, RowsProblem
from hkasm.kernels.rows.spans import SPANS, WAVE_SIZE, Extra, RowsConfig, Span, Tensor
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER, BufferView

TABLE_BYTES = 4
UNIT = 512
"""Shares of a row are whole multiples: whole heads, whole chunks of all lanes."""
WAVES = 304 * 4
"""One for each SIMD of MI300X, the larger of both chips (CDNA3 white paper: 304 compute units of four SIMDs). In bf16 a
wave of long rows has 4 KiB of them in flight: 16 KiB a compute unit."""
BASE = 10000.0
"""Angles of pair i: position / BASE ** (2 i / head), of the tables that a problem makes."""


@dataclass(frozen=True)
class RopeConfig(RowsConfig):
    """What changes the code."""

    head: str = parameter("128", "elements of a head", choices=("32", "64", "128", "256"))
    pairs: str = parameter("half", "partners: half a head apart, or neighbours", choices=("half", "interleaved"))

    blocks: ClassVar[bool] = True
    walked: ClassVar[bool] = True

    @property
    def usable(self) -> dict[str, Span]:
        """Return what a wave takes at once: 8 elements of a lane, or 32."""
        return {str(span.elements): span for span in (SPANS["512"], Span(256, 32, shared=True))}

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Return Y and X, a row for each token: its heads one after the other. Y may be X."""
        return Tensor("Y", self.dtype, "write"), Tensor("X", self.dtype)

    @property
    def extras(self) -> tuple[Extra, ...]:
        """Return tables of cosines and sines [positions, head / 2], positions by token, and what is added to them.

        Row r has the position of token r mod ``tokens``; a wave takes each ``skip``-th row, ``share`` elements of it.
        """
        tables = Extra("C", "f32", 2), Extra("S", "f32", 2)
        numbers = (Extra(name, "u32") for name in ("offset", "tokens", "skip", "share"))
        return *tables, Extra("P", "u32", 1), *numbers

    @property
    def angles(self) -> int:
        """Return the pairs of a head."""
        return int(self.head) // 2


@dataclass(frozen=True)
class RopeProblem(RopeConfig, RowsProblem):
    """Y = X with each pair (a, b) of a head turned: (a cos - b sin, b cos + a sin)."""

    offset: int = parameter(5, "added to every position", low=0, high=1 << 20)
    batch: int = parameter(1, "sequences in the rows, all with the same positions", low=1, high=(1 << 22) - 1)
    waves: int = parameter(WAVES, "waves for which sequences, then heads, are dealt out", low=1, high=65535)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rows % self.batch:
            raise UsageError(f"rows={self.rows}: not for batch={self.batch}", hint="rows is batch * tokens")
        if self.n % int(self.head):
            raise UsageError(f"n={self.n}: no whole heads of {self.head}", hint="n is heads * head")

    @property
    def extra_values(self) -> tuple[str | int | float, ...]:
        """Return the tables, the positions, the offset, and what a wave walks over."""
        return "C", "S", "P", self.offset, self.tokens, self.slices * self.tokens, self.share

    @property
    def tokens(self) -> int:
        """Return the tokens of a sequence: rows with a position of their own."""
        return self.rows // self.batch

    @property
    def slices(self) -> int:
        """Return the waves that the sequences are dealt to: as many as make `waves` of them."""
        return min(self.batch, -(-self.waves // self.tokens))

    @property
    def share(self) -> int:
        """Return the elements of a row that a wave takes: all, or less where `waves` would not be reached."""
        units = -(-self.n // UNIT)
        parts = min(units, -(-self.waves // (self.tokens * self.slices)))
        return -(-units // parts) * UNIT

    def launch(self) -> Launch:
        """Return a wave for each token, slice of the sequences and share of a row."""
        span, whole = self.held(self.n), super().launch()
        return Launch((-(-self.tokens // span.rows), -(-self.n // self.share), self.slices), whole.block, whole.args)

    @property
    def least_bytes(self) -> tuple[int, int]:
        """Return the least bytes of the rows, with the tables once a token; positions come by scalar loads."""
        read, written = super().least_bytes
        return read + self.tokens * 2 * self.angles * TABLE_BYTES, written

    def inputs(self, seed: int = 0) -> Arrays:
        """Return X, positions that are not in order, and tables for all of them."""
        arrays = super().inputs(seed)
        positions = np.random.default_rng([seed, 1]).integers(0, 2 * self.rows, self.tokens).astype(np.uint32)
        steps = BASE ** (-np.arange(self.angles) / self.angles)
        angle = np.arange(2 * self.rows + self.offset)[:, None] * steps
        tables = {"C": np.cos(angle), "S": np.sin(angle)}
        return arrays | {"P": positions} | {name: table.astype(np.float32).ravel() for name, table in tables.items()}

    def check(self, inputs: Arrays, outputs: Arrays) -> list[Comparison]:
        """Compare with float64: one half step for the product with the cosine and one for the sum."""
        x = self._heads(self.wide("X", inputs))
        rows = np.tile(inputs["P"].astype(np.int64) + self.offset, self.batch)
        cosine, sine = (inputs[one].reshape(-1, self.angles)[rows].astype(np.float64)[:, None, :] for one in "CS")
        first, second = x[..., 0], x[..., 1]
        turned = np.stack([first * cosine - second * sine, second * cosine + first * sine], axis=-1)
        product = np.abs(x * cosine[..., None])
        want, size = self._rows(turned), self._rows(product)
        return self.judged("Y", outputs, want, HALF_STEP * (size + np.abs(want)), "2^-24 (|x cos| + |y|)")

    def _heads(self, x: Floats) -> Floats:
        """Return rows as [rows, heads, pairs, 2]."""
        if self.pairs == "interleaved":
            return x.reshape(self.rows, -1, self.angles, 2)
        return x.reshape(self.rows, -1, 2, self.angles).transpose(0, 1, 3, 2)

    def _rows(self, x: Floats) -> Floats:
        """Undo `_heads`."""
        return (x if self.pairs == "interleaved" else x.transpose(0, 1, 3, 2)).reshape(self.rows, self.n)

    @property
    def flops(self) -> int:
        return 3 * self.rows * self.n


class RopeKernel(RowsKernel[RopeConfig, RopeProblem]):
    """Rotary embedding of the heads of every token, partners half a head apart or neighbours, in place or not."""

    name = "rope"
    config_type = RopeConfig
    problem_type = RopeProblem

    grid_rule = ("ceil(tokens / 4)", "ceil(n / share)", "skip / tokens")

    def grid_rule_of(self, program: Program) -> tuple[str, str, str]:
        """Return the grid rule, the same for all programs."""
        return self.grid_rule

    def write(self, arch: str, config: RopeConfig) -> Program:
        """Write the program: a lane's angles are the same in all its chunks, so tables are read once."""
        rows = self.begin(arch, config)
        k = rows.k
        half = config.pairs == "half"
        turn, done = k.label("turn"), k.label("done")
        tables = self._tables(rows, config)
        x = rows.new("x")
        rows.load(*rows.whole("X", x))
        cosine, sine = self._dealt(rows, config, tables)
        other = k.vgpr("partners", rows.chunk, align=4)
        turned = k.vgpr("turned", rows.chunk, align=4)
        if half:
            partner = self._partner(rows, config, sine)
        k.place(turn)
        for c, chunk in enumerate(x):
            if half:
                for target, element in zip(other, chunk, strict=True):
                    k.ds_bpermute_b32(target, partner, element)
                k.wait(other, reason="partners of other lanes")
            for number, element in enumerate(chunk):
                place = number if half else number // 2
                k.v_mul_f32(turned[number], element, cosine[place])
                if half:
                    k.v_fmac_f32(turned[number], other[number], sine[place])
                elif number % 2:
                    k.v_fmac_f32(turned[number], chunk[number - 1], sine[place])
                else:
                    k.v_fma_f32(turned[number], chunk[number + 1], sine[place], turned[number], neg=0b010)
            rows.store("Y", c, turned)
        rows.walk(done)
        rows.load(*rows.whole("X", x))
        k.s_branch(turn)
        k.place(done)
        rows.end()
        return k.finish()

    def _tables(self, rows: Rows, config: RopeConfig) -> list[Register]:
        """Load the token's cosines and sines, each once: the first lanes have up to four of either."""
        k, count = rows.k, self._together(rows, config)
        position, pitch, temporary = k.sgpr("position"), k.sgpr("bytes of a table row"), k.sgpr("temporary", 2)
        k.s_lshl_b32(temporary[0], rows.token, 2)
        k.s_load_dword(position, rows.values["P"], temporary[0])
        k.wait(position, reason="the token's position")
        k.s_add_u32(position, position, rows.values["offset"])
        k.s_mov_b32(pitch, config.angles * TABLE_BYTES)
        place = k.vgpr("place in tables")
        k.v_and_b32(place, WAVE_SIZE - 1, k.lane)
        k.v_mul_u32_u24(place, count * TABLE_BYTES, place)
        tables = []
        for name in "CS":
            view, values = k.sgpr(f"buffer {name}", 4), k.vgpr(f"part of {name}", count, align=4)
            BufferView(view).place(k, rows.values[name], position, pitch, temporary[0])
            k.s_and_b32(view[1], view[1], ADDRESS_HIGH_MASK)
            k.s_mov_b32(view[2], pitch)
            k.s_mov_b32(view[3], RAW_BUFFER)
            (k.buffer_load_dwordx4 if count == 4 else k.buffer_load_dwordx2)(values, place, view, 0)
            tables.append(values)
        k.free(place)
        return tables

    def _dealt(self, rows: Rows, config: RopeConfig, tables: Sequence[Register]) -> list[Register]:
        """Return the cosines and sines of a lane's chunks, which are whole heads apart, from lanes that have them."""
        k, half, together = rows.k, config.pairs == "half", self._together(rows, config)
        source = k.vgpr("lane with the angles")
        k.v_and_b32(source, (config.angles if half else int(config.head)) - 1, rows.column)
        if not half and together == 4:  # otherwise the element's number is the byte address of the lane
            k.v_lshrrev_b32(source, 1, source)
        count = rows.chunk if half else rows.chunk // 2
        dealt = [k.vgpr(f"table {name}", count, align=4) for name in "CS"]
        for part, values in zip(tables, dealt, strict=True):
            k.wait(part, reason="angles")
            for number, value in enumerate(values):
                k.ds_bpermute_b32(value, source, part[number % together], offset=number // together * 4)
        k.wait(*dealt, reason="angles of other lanes")
        k.free(source, *tables)
        return dealt

    def _together(self, rows: Rows, config: RopeConfig) -> int:
        """Return the angles that a lane loads of either table."""
        return min(4, rows.chunk if config.pairs == "half" else rows.chunk // 2)

    def _partner(self, rows: Rows, config: RopeConfig, sine: Register) -> Register:
        """Return the byte address of the lane with the partners; sines of a head's first half change sign."""
        k = rows.k
        partner, sign = k.vgpr("partner lane"), k.vgpr("sign")
        k.v_and_b32(partner, 63, k.lane)
        k.v_xor_b32(partner, config.angles // rows.chunk, partner)
        k.v_lshlrev_b32(partner, 2, partner)
        k.v_not_b32(sign, rows.column)
        k.v_and_b32(sign, config.angles, sign)
        k.v_lshlrev_b32(sign, 32 - config.angles.bit_length(), sign)
        for value in sine:
            k.v_xor_b32(value, sign, value)
        k.free(sign)
        return partner
