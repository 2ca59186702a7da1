"""The ways in which A and B come into LDS; all of them offer the same steps to the same schedules.

Direct (gfx950): ``buffer_load_dwordx4 ... lds`` for rows that start at multiples of 16 bytes, ``buffer_load_dword ...
lds`` at multiples of 4. Lane i of a wave's load lands at byte M0 + offset + i * size, so the swizzle is applied to the
global address. Staged (everything else, and all of gfx942): to registers, later by ``ds_write_b128`` to LDS. Elements
at odd multiples of 2 bytes come with ``buffer_load_ushort``, one to a register, and are packed: on these archs a d16
load does not keep the other half of its register (SRAM ECC; LLVM's `d16PreservesUnusedBits`), so loads cannot pack.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from hkasm.asm.builder import Builder
from hkasm.isa.registers import EXEC, M0, VCC, Register
from hkasm.kernels.gemm import layout
from hkasm.kernels.gemm.registers import FETCH_PARTS, Registers
from hkasm.schedules.phase import Schedule
from hkasm.schedules.pingpong import PingPong, PingPongPacked, PingPongStaged
from hkasm.schedules.simple import Simple
from hkasm.schedules.step import Step
from hkasm.tiles.array import RegArray
from hkasm.tiles.shared import SharedTile

Tiles = Mapping[str, SharedTile]
OPERANDS = "AB"

QUAD = 4
"""Accumulators of a lane in one 16x16 product: consecutive rows of its D."""


class Fetch(ABC):
    """How one kernel path fetches: a schedule, the steps it adds, and the offsets it needs first."""

    def __init__(self, k: Builder, registers: Registers, tiles: Tiles, schedule: Schedule) -> None:
        self.k, self.r, self.tiles, self.schedule = k, registers, tiles, schedule

    @abstractmethod
    def setup(self) -> None:
        """Write what the steps need before the pipeline: offsets of a lane."""

    @abstractmethod
    def steps(self) -> list[Step]:
        """Return the fetch and commit steps."""

    def _view(self, operand: str) -> Register:
        return (self.r.a if operand == "A" else self.r.b).descriptor

    def _write_offsets(self, offsets: RegArray, rows_a_load: int, lane_bytes: int, rise: int) -> None:
        """Write the byte offset of every load of a lane, by operand, half and part.

        A load covers `rows_a_load` rows with `lane_bytes` a lane; part i lies ``i * rows_a_load`` rows further on
        and its offset is smaller by ``i * rise``, which the instruction's own offset adds again.
        """
        k, s = self.k, self.r.scalars
        first, place, within, row, chunk, line = self.r.temporaries[0:6]
        lanes_a_row, lanes_a_chunk = layout.WAVE_SIZE // rows_a_load, layout.CHUNK_BYTES // lane_bytes
        k.v_lshrrev_b32(first, layout.log2(lanes_a_row), self.r.lane)
        k.v_and_b32(within, lanes_a_chunk - 1, self.r.lane)
        k.v_lshlrev_b32(within, layout.log2(lane_bytes), within)
        k.v_and_b32(place, lanes_a_row - 1, self.r.lane)
        k.v_lshrrev_b32(place, layout.log2(lanes_a_chunk), place)
        for part in range(offsets.shape[-1]):
            k.v_add_u32(row, part * rows_a_load, first)
            k.v_and_b32(chunk, layout.SWIZZLE_ROWS - 1, row)
            k.v_xor_b32(chunk, chunk, place)
            k.v_lshl_add_u32(chunk, chunk, layout.log2(layout.CHUNK_BYTES), within)
            k.v_add_u32(chunk, -part * rise, chunk)
            for operand, name in enumerate(OPERANDS):
                self._write_line(name, line, row)
                k.v_mul_lo_u32(line, line, s.pitch(name))
                k.v_add_u32(offsets[operand, 0, part], line, chunk)
                k.s_lshl_b32(s.temporary, s.pitch(name), layout.log2(layout.HALF))
                k.v_add_u32(offsets[operand, 1, part], s.temporary, offsets[operand, 0, part])

    def _write_line(self, operand: str, line: Register, row: Register) -> None:
        """Write which row of a half tile of A or B lies in row `row` (0 to 15) of those that a wave fetches to LDS.

        For A it is row 16 wave + `row`, for B `layout.b_column` of that: block wave / 2, j = wave % 2.
        """
        k, s = self.k, self.r.scalars
        if operand == "A":
            k.s_mul_i32(s.temporary, s.wave, layout.WAVE_ROWS)
            k.v_add_u32(line, s.temporary, row)
            return
        block_rows = layout.B_FRAGMENTS * layout.FRAGMENT
        quad = self.r.temporaries[6]
        k.s_lshr_b32(s.temporary, s.wave, layout.log2(layout.B_FRAGMENTS))
        k.s_mul_i32(s.temporary, s.temporary, block_rows)
        k.s_and_b32(s.other, s.wave, layout.B_FRAGMENTS - 1)
        k.s_lshl_b32(s.other, s.other, layout.log2(QUAD))
        k.s_add_u32(s.temporary, s.temporary, s.other)
        k.v_lshrrev_b32(quad, layout.log2(QUAD), row)
        k.v_and_b32(line, QUAD - 1, row)
        k.v_add_u32(line, s.temporary, line)
        k.v_lshl_add_u32(line, quad, layout.log2(QUAD * layout.B_FRAGMENTS), line)


class DirectFetch(Fetch):
    """Global memory to LDS without registers, `dwords` (4 or 1) a lane."""

    def __init__(self, k: Builder, registers: Registers, tiles: Tiles, dwords: int) -> None:
        super().__init__(k, registers, tiles, PingPong())
        self.lane_bytes = dwords * layout.DWORD_BYTES
        self.load_bytes = layout.WAVE_SIZE * self.lane_bytes
        parts = layout.WAVE_FETCH_BYTES // self.load_bytes
        room = registers.offsets.register if parts == FETCH_PARTS else registers.staging[0 : 4 * parts]
        self.offsets = RegArray(room.named("fetch offsets"), (2, 2, parts), 1)

    def setup(self) -> None:
        self._write_offsets(
            self.offsets,
            rows_a_load=self.load_bytes // layout.ROW_BYTES,
            lane_bytes=self.lane_bytes,
            rise=self.load_bytes,
        )

    def steps(self) -> list[Step]:
        return [self._step(operand, half) for operand in (0, 1) for half in (0, 1)]

    def _step(self, operand: int, half: int) -> Step:
        name = f"{OPERANDS[operand]}{half}"

        def prepare(k: Builder, slot: int) -> None:
            k.s_add_u32(M0, self.r.scalars.fetch_base, self.tiles[name].start(slot))

        def emit(k: Builder, slot: int) -> None:
            load = k.buffer_load_dwordx4 if self.lane_bytes == 4 * layout.DWORD_BYTES else k.buffer_load_dword
            for part in range(self.offsets.shape[-1]):
                load(
                    self.offsets[operand, half, part],
                    self._view(OPERANDS[operand]),
                    self.r.scalars.cursor,
                    offset=part * self.load_bytes,
                    lds=True,
                )

        return Step(name, "fetch", emit, regions=(name,), prepare=prepare)


class StagedFetch(Fetch):
    """Global memory to registers with loads of `unit` bytes (16, 4 or 2), then by 16-byte writes to LDS."""

    def __init__(self, k: Builder, registers: Registers, tiles: Tiles, unit: int) -> None:
        super().__init__(k, registers, tiles, PingPongStaged() if unit > layout.ELEMENT_BYTES else PingPongPacked())
        self.unit = unit
        self.raw = {"A": registers.staging[0:16], "B": registers.staging[16:32]}
        self.packed = dict(self.raw)
        if unit == layout.ELEMENT_BYTES:
            self.raw = {"A": registers.staging[0:32], "B": registers.staging[16:48]}

    def setup(self) -> None:
        self._write_offsets(self.r.offsets, layout.WAVE_ROWS // FETCH_PARTS, layout.CHUNK_BYTES, rise=0)

    def steps(self) -> list[Step]:
        steps = [self._fetch(operand) for operand in (0, 1)]
        if self.unit == layout.ELEMENT_BYTES:
            steps.append(Step("pack A", "commit", lambda k, slot: self._pack(k, "A")))
        return [*steps, *(self._commit(name) for name in OPERANDS)]

    def _chunks(self, name: str, packed: bool) -> RegArray:
        register = self.packed[name] if packed else self.raw[name]
        return RegArray(register.named(f"staged {name}"), (2, FETCH_PARTS), register.count // (2 * FETCH_PARTS))

    def _fetch(self, operand: int) -> Step:
        def emit(k: Builder, slot: int) -> None:
            self._load(k, operand, range(layout.CHUNK_BYTES // self.unit))

        return Step(OPERANDS[operand], "fetch", emit)

    def _load(self, k: Builder, operand: int, units: range) -> None:
        """Load the given units of every chunk that a lane fetches of an operand."""
        load = {16: k.buffer_load_dwordx4, 4: k.buffer_load_dword, 2: k.buffer_load_ushort}[self.unit]
        chunks = self._chunks(OPERANDS[operand], packed=False)
        for half in (0, 1):
            for part in range(FETCH_PARTS):
                chunk, offset = chunks[half, part], self.r.offsets[operand, half, part]
                for unit in units:
                    target = chunk if self.unit == layout.CHUNK_BYTES else chunk[unit]
                    view = self._view(OPERANDS[operand])
                    load(target, offset, view, self.r.scalars.cursor, offset=unit * self.unit)

    def _pack(self, k: Builder, name: str) -> None:
        """Pack elements that lie one to a register, pair by pair, into the first half of their registers."""
        for packed, raw in zip(self._chunks(name, packed=True), self._chunks(name, packed=False), strict=True):
            for pair, target in enumerate(packed):
                k.v_lshl_or_b32(target, raw[2 * pair + 1], 16, raw[2 * pair])

    def _commit(self, name: str) -> Step:
        def emit(k: Builder, slot: int) -> None:
            if self._packs_late(name):
                self._pack(k, name)
            for half in (0, 1):
                start = self.tiles[f"{name}{half}"].start(slot) - self.tiles[f"{name}0"].start(0)
                for part in range(FETCH_PARTS):
                    chunk = self._chunks(name, packed=True)[half, part]
                    offset = start + part * (layout.WAVE_FETCH_BYTES // FETCH_PARTS)
                    k.ds_write_b128(self.r.commit_base[OPERANDS.index(name)], chunk, offset=offset)

        return Step(name, "commit", emit, regions=(f"{name}0", f"{name}1"))

    def _packs_late(self, name: str) -> bool:
        return self.unit == layout.ELEMENT_BYTES and name == "B"


class MaskedFetch(StagedFetch):
    """The last K % 64 columns: element by element, zero from column K on, whatever lies behind a row.

    A buffer's end does not stop a lane at the end of a row, so EXEC does; the registers of stopped lanes keep the zero
    that they are given first. The fragments are not in use yet and take the elements.
    """

    def __init__(self, k: Builder, registers: Registers, tiles: Tiles) -> None:
        super().__init__(k, registers, tiles, layout.ELEMENT_BYTES)
        self.schedule = Simple()
        self.raw = {"A": registers.fragments[0:32], "B": registers.fragments[32:64]}
        self.packed = {"A": registers.fragments[0:16], "B": registers.fragments[32:48]}
        self.column = registers.temporaries[7].named("first column of chunk")

    def setup(self) -> None:
        """Write the offsets and the first column of the chunk that a lane fetches; its row modulo 8 is lane / 8."""
        k, s = self.k, self.r.scalars
        super().setup()
        k.v_lshrrev_b32(self.column, 3, self.r.lane)
        k.v_xor_b32(self.column, self.column, self.r.lane)
        k.v_and_b32(self.column, layout.SWIZZLE_ROWS - 1, self.column)
        k.v_lshlrev_b32(self.column, layout.log2(layout.CHUNK_ELEMENTS), self.column)
        k.s_lshl_b32(s.cursor, s.trips, layout.log2(layout.ROW_BYTES))

    def _fetch(self, operand: int) -> Step:
        def emit(k: Builder, slot: int) -> None:
            s = self.r.scalars
            for register in self.raw[OPERANDS[operand]]:
                k.v_mov_b32(register, 0)
            for element in range(layout.CHUNK_ELEMENTS):
                k.s_sub_u32(s.temporary, s.rest, element)
                k.v_cmp_gt_i32(VCC, s.temporary, self.column)  # column + element < K % 64
                k.s_mov_b64(EXEC, VCC)
                self._load(k, operand, range(element, element + 1))
                k.s_mov_b64(EXEC, -1)

        return Step(OPERANDS[operand], "fetch", emit)

    def _packs_late(self, name: str) -> bool:
        return True
