"""The ways in which one side of the tile comes into LDS; all of them offer steps by the same names.

Direct (gfx950): ``buffer_load_dwordx4 ... lds`` for lines that start at multiples of 16 bytes, ``buffer_load_dword ...
lds`` at multiples of 4. Lane i of a wave's load lands at byte M0 + offset + i * size, so the swizzle is applied to the
global address. Staged (everything else, and all of gfx942): to registers, later by ``ds_write_b128`` to LDS. Elements
at odd multiples of 2 bytes come with ``buffer_load_ushort``, one to a register, and are packed: on these archs a d16
load does not keep the other half of its register (SRAM ECC; LLVM's `d16PreservesUnusedBits`), so loads cannot pack.
K-strided memory on gfx942, whose LDS cannot transpose, is transposed in registers by ``v_perm_b32``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Instruction
from hkasm.isa.registers import EXEC, M0, VCC, Register
from hkasm.kernels.gemm.plan import CHUNK_BYTES, DWORD_BYTES, HALVES, LOAD_BYTES, WAVE_SIZE, Side, log2
from hkasm.kernels.gemm.registers import TEMPORARIES, Registers
from hkasm.schedules.step import Step
from hkasm.tiles.array import RegArray
from hkasm.tiles.lanes import Table, write_table

SIXTH = (1 << 16) // 6 + 1
"""Multiplied by it and shifted down by 16, numbers below 2^14 are divided by 6."""
OUTSIDE = 0xA000_0000
"""An offset behind every view, which end at 2^31 bytes, with half a view's height and a row still behind it."""
LOWER_HALVES, UPPER_HALVES = 0x0504_0100, 0x0706_0302
"""v_perm_b32 selectors: the lower and the upper halves of both sources."""


class Mover(ABC):
    """How one side is fetched: the steps it adds, and the offsets it needs first."""

    def __init__(self, k: Builder, registers: Registers, side: Side) -> None:
        self.k, self.r, self.side = k, registers, side

    @property
    def name(self) -> str:
        return self.side.name

    @abstractmethod
    def setup(self) -> None:
        """Write what the steps need before the pipeline: offsets of a lane."""

    @abstractmethod
    def steps(self) -> list[Step]:
        """Return the fetch and commit steps."""

    @property
    def _view(self) -> Register:
        return self.r.view(self.name).descriptor

    def _table(self, target: Register, table: Table) -> None:
        write_table(self.k, target, self.r.thread, table, self.r.temporaries[5])

    def _write_offsets(self, offsets: RegArray, lane_bytes: int, rise: int, start: int = 0) -> None:
        """Write the byte offset of every load of a lane, by half and part, from `start` on.

        The offset of part i is smaller by ``i * rise``, which the instruction's own offset adds again.
        """
        k, side = self.k, self.side
        pitch, (line, byte) = self.r.scalars.pitch(self.name), self.r.temporaries[0:2]
        for part in range(offsets.shape[-1]):
            if side.rotates:
                self._write_rotated(line, byte, part)
            else:
                self._table(line, side.fetch_line(part, lane_bytes))
                self._table(byte, side.fetch_byte(part, lane_bytes))
            k.v_mul_lo_u32(line, line, pitch)
            if part * rise != start:
                k.v_subrev_u32(byte, part * rise - start, byte)
            k.v_add_u32(offsets[0, part], line, byte)
            if lane_bytes == CHUNK_BYTES and side.lanes_of_part(part) < WAVE_SIZE:
                k.v_and_b32(line, WAVE_SIZE - 1, self.r.thread)
                k.v_cmp_gt_u32(VCC, side.lanes_of_part(part), line)
                k.v_mov_b32(byte, OUTSIDE)
                k.v_cndmask_b32(offsets[0, part], byte, offsets[0, part], VCC)
            self._write_second_half(offsets, part)

    def _write_rotated(self, line: Register, byte: Register, part: int) -> None:
        """Write line and byte that a lane fetches of lines of six chunks: chunk n of the half tile is chunk n % 6."""
        k, side, (number, other) = self.k, self.side, self.r.temporaries[2:4]
        thread = np.arange(side.waves * WAVE_SIZE)
        chunks = thread // WAVE_SIZE * (side.wave_bytes // CHUNK_BYTES) + part * WAVE_SIZE + thread % WAVE_SIZE
        self._table(number, chunks)
        k.v_mul_u32_u24(line, SIXTH, number)
        k.v_lshrrev_b32(line, 16, line)
        k.v_mul_u32_u24(byte, 6, line)
        k.v_sub_u32(byte, number, byte)
        k.v_bfe_u32(other, line, 3, 1)
        k.v_sub_u32(byte, byte, other)
        k.v_add_u32(other, 6, byte)
        k.v_min_u32(byte, byte, other)  # chunk -1 is chunk 5
        k.v_lshlrev_b32(byte, 4, byte)
        write_table(k, number, line, side.row_of_line(np.arange(side.half)), other)
        k.v_mov_b32(line, number)

    def _write_second_half(self, offsets: RegArray, part: int) -> None:
        k, side, s = self.k, self.side, self.r.scalars
        if side.strided:
            k.s_movk_i32(s.temporary, side.half * side.bits // 8)
        else:
            k.s_mul_i32(s.temporary, s.pitch(self.name), side.half)
        k.v_add_u32(offsets[1, part], s.temporary, offsets[0, part])


class Direct(Mover):
    """Global memory to LDS without registers, `dwords` (4 or 1) a lane."""

    def __init__(self, k: Builder, registers: Registers, side: Side, dwords: int, room: int = 0) -> None:
        super().__init__(k, registers, side)
        self.lane_bytes = dwords * DWORD_BYTES
        self.load_bytes = WAVE_SIZE * self.lane_bytes
        parts = side.loaded_bytes // self.load_bytes
        self.offsets = registers.offsets[side.name]
        if parts != side.parts:
            register = registers.staging[room : room + len(HALVES) * parts].named(f"fetch offsets {side.name}")
            self.offsets = RegArray(register, (len(HALVES), parts), 1)

    def setup(self) -> None:
        self._write_offsets(self.offsets, self.lane_bytes, rise=self.load_bytes)

    def steps(self) -> list[Step]:
        return [self._step(half) for half in HALVES]

    def _step(self, half: int) -> Step:
        name = f"{self.name}{half}"

        def prepare(k: Builder, slot: int) -> None:
            k.s_add_u32(M0, self.r.scalars.fetch_base(self.name), self.side.start(half, slot))

        def emit(k: Builder, slot: int) -> None:
            load = k.buffer_load_dwordx4 if self.lane_bytes == CHUNK_BYTES else k.buffer_load_dword
            cursor = 0 if self.side.strided else self.r.scalars.cursor(self.side)
            if self.r.scales is not None:
                scales, name = self.r.scales, self.name
                view = scales.views[name].descriptor
                k.buffer_load_dword(scales.offsets[name][half], view, scales.cursor, offset=0, lds=True)
            for part in range(self.offsets.shape[-1]):
                offset = self.side.scale_bytes + part * self.load_bytes
                load(self.offsets[half, part], self._view, cursor, offset=offset, lds=True)

        return Step(name, "fetch", emit, regions=(name,), prepare=prepare, grouped=self.side.grouped)


class Staged(Mover):
    """Global memory to registers with loads of `unit` bytes (16 or 4), then by 16-byte writes to LDS."""

    def __init__(self, k: Builder, registers: Registers, side: Side, unit: int, room: int) -> None:
        super().__init__(k, registers, side)
        self.unit = unit
        self.chunks = len(HALVES) * side.parts
        self.packed = registers.staging[room : room + 4 * self.chunks]
        self.raw = self.packed

    def setup(self) -> None:
        self._write_offsets(self.r.offsets[self.name], CHUNK_BYTES, rise=0, start=self.side.scale_bytes)
        self._table(self.r.commit_base[self.name], commit_table(self.side))

    def steps(self) -> list[Step]:
        halves = [self._commit(f"{self.name}{half}", (half,)) for half in HALVES]
        return [self._fetch(), self._commit(self.name, HALVES), *halves]

    def _chunks(self, register: Register) -> RegArray:
        return RegArray(
            register.named(f"staged {self.name}"), (len(HALVES), self.side.parts), register.count // self.chunks
        )

    def _fetch(self) -> Step:
        return Step(self.name, "fetch", lambda k, slot: self._load(k, range(CHUNK_BYTES // self.unit)))

    def _load(self, k: Builder, units: range) -> None:
        """Load the given units of every chunk that a lane fetches."""
        load = _loads(k)[self.unit]
        chunks, offsets = self._chunks(self.raw), self.r.offsets[self.name]
        cursor = 0 if self.side.strided else self.r.scalars.cursor(self.side)
        for half in HALVES:
            for part in range(self.side.parts):
                for unit in units:
                    target = chunks[half, part] if self.unit == CHUNK_BYTES else chunks[half, part][unit]
                    load(target, offsets[half, part], self._view, cursor, offset=unit * self.unit)

    def _commit(self, name: str, halves: tuple[int, ...]) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for half in halves:
                start = self.side.start(half, slot) - self.side.first_byte
                for part in range(self.side.parts):
                    chunk = self._chunks(self.packed)[half, part]
                    k.ds_write_b128(self.r.commit_base[self.name], chunk, offset=start + part * LOAD_BYTES)

        regions = tuple(f"{self.name}{half}" for half in halves)
        return Step(name, "commit", emit, regions=regions, grouped=self.side.grouped)


class Packed(Staged):
    """16-bit elements at any address: one to a register, packed pair by pair into the first half of the registers.

    A is packed before B takes the room behind it, B when it is committed.
    """

    def __init__(self, k: Builder, registers: Registers, side: Side, room: int) -> None:
        super().__init__(k, registers, side, 2, room)
        self.raw = registers.staging[room : room + 8 * self.chunks]

    def steps(self) -> list[Step]:
        if self.name == "A":
            return [*super().steps(), Step("pack A", "commit", lambda k, slot: self._pack(k))]
        return super().steps()

    def _pack(self, k: Builder) -> None:
        for packed, raw in zip(self._chunks(self.packed), self._chunks(self.raw), strict=True):
            for pair, target in enumerate(packed):
                k.v_lshl_or_b32(target, raw[2 * pair + 1], 16, raw[2 * pair])

    def _commit(self, name: str, halves: tuple[int, ...]) -> Step:
        step = super()._commit(name, halves)

        def emit(k: Builder, slot: int) -> None:
            if self.name == "B":
                self._pack(k)
            step.emit(k, slot)

        return replace(step, emit=emit)


class Transposed(Staged):
    """K-strided 16-bit elements to lines along K: a lane loads 8 k of a few rows and turns them with ``v_perm_b32``.

    Lane l of a wave takes chunk l % 8 of the K step, so that eight lanes write one whole line of LDS.
    """

    def __init__(self, k: Builder, registers: Registers, side: Side, room: int, turned: Register) -> None:
        super().__init__(k, registers, side, CHUNK_BYTES, room)
        self.rows = self.chunks
        """Rows that a lane transposes: as many chunks as it writes."""
        self.turned = turned
        self.selectors = k.sgpr(f"halves {side.name}", 2)
        self.steps_down = k.sgpr(f"lines {side.name}", 7)

    def setup(self) -> None:
        k, side = self.k, self.side
        pitch, (line, byte) = self.r.scalars.pitch(self.name), self.r.temporaries[0:2]
        chunk, row = self._place()
        self._table(line, chunk * side.chunk_elements)
        self._table(byte, row * (side.bits // 8))
        k.v_mul_lo_u32(line, line, pitch)
        k.v_add_u32(self.r.offsets[self.name][0, 0], line, byte)
        for selector, halves in zip(self.selectors, (LOWER_HALVES, UPPER_HALVES), strict=True):
            k.s_mov_b32(selector, halves)
        for number, step in enumerate(self.steps_down):
            k.s_mul_i32(step, pitch, number + 1)
        self._table(self.r.commit_base[self.name], side.first_byte + self._write_address(0))

    def _place(self) -> tuple[Table, Table]:
        """Return the chunk along K and the first row (of both halves) that each thread transposes."""
        thread = np.arange(self.side.waves * WAVE_SIZE)
        chunks = self.side.line_bytes // CHUNK_BYTES
        return thread % chunks, thread // chunks * self.rows

    def _write_address(self, number: int) -> Table:
        """Return where in its side's LDS each thread writes row `number` of those that it transposes."""
        side, (chunk, row) = self.side, self._place()
        half, row = (row + number) // side.half, (row + number) % side.half
        line_of_row = np.argsort(side.row_of_line(np.arange(side.half)))
        line = line_of_row[row]
        place = line * side.line_bytes + side.stored_chunk(line, chunk) * CHUNK_BYTES
        return half * side.half_bytes + place

    def _load(self, k: Builder, units: range) -> None:
        load = _loads(k)[2 * self.rows]
        offset = self.r.offsets[self.name][0, 0]
        for number in range(8):
            lines = 0 if number == 0 else self.steps_down[number - 1]
            load(self._loaded(number), offset, self._view, lines)

    def _loaded(self, number: int) -> Register:
        """Return the elements of all rows at k number `number`."""
        return self.raw[number * self.rows // 2 : (number + 1) * self.rows // 2].named(f"staged {self.name}")

    def steps(self) -> list[Step]:
        return [self._fetch(), self._commit(self.name, HALVES)]

    def _commit(self, name: str, halves: tuple[int, ...]) -> Step:
        flips = [int((self._write_address(row) ^ self._write_address(0))[0]) for row in range(self.rows)]

        def emit(k: Builder, slot: int) -> None:
            start = self.side.start(0, slot) - self.side.first_byte
            address = self.turned[0]
            for row, flip in enumerate(flips):
                chunk = self.turned[4 * (1 + row % 3) : 4 * (2 + row % 3)]
                for pair in range(4):
                    low, high = (self._loaded(2 * pair + odd)[row // 2] for odd in (0, 1))
                    k.v_perm_b32(chunk[pair], high, low, self.selectors[row % 2])
                if flip:
                    k.v_xor_b32(address, flip, self.r.commit_base[self.name])
                k.ds_write_b128(address if flip else self.r.commit_base[self.name], chunk, offset=start)

        return Step(name, "commit", emit, regions=tuple(f"{self.name}{half}" for half in halves))


class Gather(Staged):
    """Any address, any rest of K: element by element, zero from column K on, whatever lies behind a row.

    A buffer's end does not stop a lane at the end of a row that runs along K, so EXEC does; the registers of stopped
    lanes keep the zero that they are given first. K-strided memory ends with its last row.
    """

    def __init__(self, k: Builder, registers: Registers, side: Side) -> None:
        super().__init__(k, registers, side, side.gathered_bytes, 0)
        units = CHUNK_BYTES // self.unit
        fits = units * self.chunks <= registers.fragments.count
        room = registers.fragments if fits else registers.staging
        self.raw, self.packed = room[0 : units * self.chunks], room[0 : 4 * self.chunks]
        first = registers.staging.count - 2 * TEMPORARIES + (0 if side.name == "A" else 3)
        self.columns = (
            registers.staging[first : first + side.parts]
            if side.rotates
            else registers.temporaries[6 if side.name == "A" else 7]
        ).named(f"first byte of chunk {side.name}")
        # Nothing else needs these temporaries once both sides are set up, A first.
        self.scales, self.scale_base = registers.temporaries[2:4], registers.temporaries[4 if side.name == "A" else 1]
        self.turns = side.strided and not side.along_k

    def setup(self) -> None:
        """Write the offsets and the first byte in its line of the chunk that a lane fetches."""
        k, side = self.k, self.side
        if side.rotates:
            for part, column in enumerate(self.columns):
                self._write_rotated(self.r.temporaries[0], column, part)
        elif not side.along_k:
            # Every part of a lane has its chunk at one place.
            self._table(self.columns[0], side.fetch_byte(0))
        if not self.turns:
            super().setup()
            if side.scaled:
                wave, lane = np.divmod(np.arange(side.waves * WAVE_SIZE), WAVE_SIZE)
                self._table(self.scale_base, side.first_byte + wave * side.wave_stride + lane * DWORD_BYTES)
            return
        offsets = self.r.offsets[self.name]
        pitch, (line, byte) = self.r.scalars.pitch(self.name), self.r.temporaries[0:2]
        k.v_lshrrev_b32(line, log2(side.bits // 8), self.columns[0])
        k.v_mul_lo_u32(line, line, pitch)
        for part in range(side.parts):
            self._table(byte, side.fetch_line(part) * (side.bits // 8))
            k.v_add_u32(offsets[0, part], line, byte)
            self._write_second_half(offsets, part)
        self._table(self.r.commit_base[self.name], commit_table(side))

    def _fetch(self) -> Step:
        def emit(k: Builder, slot: int) -> None:
            s = self.r.scalars
            if not self.side.strided:
                for register in self.raw:
                    k.v_mov_b32(register, 0)
            self._fetch_scales(k)
            for unit in range(CHUNK_BYTES // self.unit):
                if self.turns:
                    self._load_down(k, unit)
                elif self.side.strided:
                    self._load(k, range(unit, unit + 1))
                else:
                    to_bytes(k, s.temporary, s.rest, self.side.bits)
                    k.s_sub_u32(s.temporary, s.temporary, unit * self.unit)
                    self._load_masked(k, unit)

        return Step(self.name, "fetch", emit)

    def _fetch_scales(self, k: Builder) -> None:
        scales, name = self.r.scales, self.name
        if scales is not None:
            for scale, offset in zip(self.scales, scales.offsets[name], strict=True):
                k.buffer_load_dword(scale, offset, scales.views[name].descriptor, scales.cursor, offset=0)

    def _load_masked(self, k: Builder, unit: int) -> None:
        """Load a unit of every chunk, where its byte in the line is less than what the temporary says is left."""
        load, s = _loads(k)[self.unit], self.r.scalars
        chunks, offsets = self._chunks(self.raw), self.r.offsets[self.name]
        for number, column in enumerate(self.columns):
            k.v_cmp_gt_i32(VCC, s.temporary, column)
            k.s_mov_b64(EXEC, VCC)
            for half in HALVES:
                for part in range(self.side.parts) if len(list(self.columns)) == 1 else (number,):
                    target = chunks[half, part][unit]
                    load(target, offsets[half, part], self._view, s.cursor(self.side), offset=unit * self.unit)
            k.s_mov_b64(EXEC, self.r.everyone)

    def _load_down(self, k: Builder, unit: int) -> None:
        """Load element `unit` of every chunk from a line of its own."""
        load = _loads(k)[self.unit]
        chunks, offsets, s = self._chunks(self.raw), self.r.offsets[self.name], self.r.scalars
        k.s_mul_i32(s.temporary, s.pitch(self.name), unit)
        for half in HALVES:
            for part in range(self.side.parts):
                load(chunks[half, part][unit], offsets[half, part], self._view, s.temporary)

    def _commit(self, name: str, halves: tuple[int, ...]) -> Step:
        step = super()._commit(name, halves)

        def emit(k: Builder, slot: int) -> None:
            self._pack(k)
            step.emit(k, slot)
            for half in halves if self.side.scaled else ():
                start = self.side.start(half, slot) - self.side.first_byte
                k.ds_write_b32(self.scale_base, self.scales[half], offset=start)

        return replace(step, emit=emit)

    def _pack(self, k: Builder) -> None:
        """Pack elements that lie one to a register into the first of their registers, in order."""
        count = DWORD_BYTES // self.unit
        for packed, raw in zip(self._chunks(self.packed), self._chunks(self.raw), strict=True):
            for number, target in enumerate(packed if count > 1 else ()):
                low, *more = raw[count * number : count * (number + 1)]
                for place, element in enumerate(more, 1):
                    k.v_lshl_or_b32(target, element, place * 8 * self.unit, low if place == 1 else target)


def commit_table(side: Side) -> Table:
    """Return the byte of LDS at which each thread writes its first chunk."""
    thread = np.arange(side.waves * WAVE_SIZE)
    wave, lane = thread // WAVE_SIZE, thread % WAVE_SIZE
    return side.first_byte + wave * side.wave_stride + side.scale_bytes + lane * CHUNK_BYTES


def to_bytes(k: Builder, target: Register, elements: Register, bits: int) -> None:
    """Write the bytes of a number of elements (exact: those of less than a byte come in whole bytes)."""
    if bits >= 8:
        k.s_lshl_b32(target, elements, log2(bits // 8))
    elif bits == 4:
        k.s_lshr_b32(target, elements, 1)
    else:
        k.s_mul_i32(target, elements, bits // 2)
        k.s_lshr_b32(target, target, 2)


def _loads(k: Builder) -> dict[int, Callable[..., Instruction]]:
    """Return the loads to registers by their bytes a lane."""
    return {
        1: k.buffer_load_ubyte,
        2: k.buffer_load_ushort,
        4: k.buffer_load_dword,
        8: k.buffer_load_dwordx2,
        16: k.buffer_load_dwordx4,
    }
