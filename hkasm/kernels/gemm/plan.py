"""Where everything of a GEMM's tile lies: lines of LDS, chunks, fragments, and what multiplies them.

A `Side` is one operand of the tile (A or B) cut into two halves, the unit of fetching and reading; a `TilePlan` is both
with the matrix instruction between them. All maps are pure functions of thread numbers; the emitters write the same
tables as instructions (`tiles.lanes.write_table`), the tests hold them against the bank model.

LDS holds a half tile in *lines*. A line runs along K, one a row of the side (`along_k` false), or along the rows, one
for each k, to be read by the transposing ``ds_read_b64_tr_*`` of gfx950 (`along_k` true). The 16-byte chunks of a line
are swizzled so that fragment reads meet no bank twice in a phase.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from hkasm.isa.mfma import MfmaSpec
from hkasm.tiles.lanes import Table

Index = TypeVar("Index", int, npt.NDArray[np.int64])

DWORD_BYTES = 4
CHUNK_BYTES = 16
WAVE_SIZE = 64
FRAGMENT = 16
"""Rows and columns of one matrix instruction."""
GROUPS = WAVE_SIZE // FRAGMENT
"""Lane groups of a fragment: each holds other k of the same rows."""
QUAD = 4
"""Accumulators of a lane in one 16x16 product: consecutive rows of its D."""
LOAD_BYTES = WAVE_SIZE * CHUNK_BYTES
"""What one dwordx4 load of a wave brings."""
SCALE_ROWS, SCALE_DEPTH = 64, 128
"""Rows and k of one unit of block scales: a dword a lane, byte i for fragment i of the rows."""
SCALE_BYTES = WAVE_SIZE * DWORD_BYTES
BANK_ROW = 256
"""Bytes that the 64 banks of gfx950 hold side by side."""
HALVES = (0, 1)
EIGHTS = (0, 1, 2)
"""The 8-byte reads of the 24 bytes that 32 6-bit elements take."""
REGIONS = ("A0", "A1", "B0", "B1")


def log2(size: int) -> int:
    """Return the shift that multiplies or divides by a power of two."""
    return size.bit_length() - 1


class Piece(NamedTuple):
    """One LDS read of a fragment: which registers of it, with what, from which base and how far behind."""

    first: int
    registers: int
    mnemonic: str
    base: int
    offset: int


@dataclass(frozen=True)
class Side:
    """One operand of a tile: `rows` of A (or of B, which are columns of C), `depth` elements of K.

    ``ways`` waves lie side by side along it, wave w at ``w >> shift & ways - 1``. ``strided`` says that its memory is
    K-strided, ``along_k`` that its lines in LDS are too. ``paired`` permutes rows within blocks of 32 (`row_of_line`).
    ``scaled`` sides have an E8M0 scale for every 32 elements along K; in LDS what each wave fetches stands behind the
    unit of scales that it fetches, in room for whole loads.
    """

    name: str
    dtype: str
    bits: int
    rows: int
    depth: int
    waves: int
    ways: int
    shift: int
    strided: bool
    along_k: bool
    paired: bool
    slots: int
    first_byte: int
    scaled: bool = False

    @property
    def half(self) -> int:
        """Rows of a half tile."""
        return self.rows // len(HALVES)

    @property
    def fragments(self) -> int:
        """Fragments of a half that one wave multiplies."""
        return self.half // self.ways // FRAGMENT

    @property
    def fragment_registers(self) -> int:
        """Registers of a fragment with all K of the tile."""
        return FRAGMENT * self.depth * self.bits // (WAVE_SIZE * 32)

    @property
    def chunk_elements(self) -> int:
        return CHUNK_BYTES * 8 // self.bits

    @property
    def gathered_bytes(self) -> int:
        """Bytes of the smallest loads: an element, a dword where scales make lines of whole dwords."""
        return DWORD_BYTES if self.scaled else self.bits // 8

    @property
    def line_bytes(self) -> int:
        return (self.half if self.along_k else self.depth) * self.bits // 8

    @property
    def lines(self) -> int:
        return self.depth if self.along_k else self.half

    @property
    def wave_bytes(self) -> int:
        """Bytes of a half tile that one wave fetches, without scales."""
        return self.lines * self.line_bytes // self.waves

    @property
    def scale_bytes(self) -> int:
        """Bytes of scales in front of what a wave fetches."""
        return SCALE_BYTES if self.scaled else 0

    @property
    def loaded_bytes(self) -> int:
        """Bytes of LDS that the loads of a wave fill of a half tile: whole loads, zeros behind what it fetches."""
        return self.parts * LOAD_BYTES

    @property
    def grouped(self) -> bool:
        """Tell whether either half of the waves reads of every half tile what it fetches itself.

        So it is where the first half of the waves has the first half of the ways, thus of the rows, to multiply. Of
        K-strided memory each wave fetches all rows of some k, or turns rows of one half tile; scales are read where the
        first waves fetch them.
        """
        return self.ways > 1 and self.ways << self.shift == self.waves and not (self.strided or self.scaled)

    @property
    def wave_stride(self) -> int:
        return self.scale_bytes + self.loaded_bytes

    @property
    def half_bytes(self) -> int:
        """Bytes of a half tile in LDS."""
        return self.waves * self.wave_stride

    def line_start(self, line: Index) -> Index:
        """Return the byte of a half tile at which a line starts."""
        lines_a_wave = self.lines // self.waves
        return line // lines_a_wave * self.wave_stride + self.scale_bytes + line % lines_a_wave * self.line_bytes

    @property
    def parts(self) -> int:
        """Chunks that a lane fetches of a half tile."""
        return -(-self.wave_bytes // LOAD_BYTES)

    def lanes_of_part(self, part: int) -> int:
        """Return how many lanes of a wave have a chunk to fetch in load `part`, the lowest ones."""
        return min(self.wave_bytes // CHUNK_BYTES - part * WAVE_SIZE, WAVE_SIZE)

    @property
    def bytes(self) -> int:
        """Bytes of all buffers in LDS."""
        return self.slots * len(HALVES) * self.half_bytes

    def start(self, half: int, slot: int) -> int:
        """Return the byte of LDS at which a half tile starts."""
        return self.first_byte + (slot * len(HALVES) + half) * self.half_bytes

    # Lines and chunks.

    def stored_chunk(self, line: Index, chunk: Index) -> Index:
        """Return the chunk of its line at which chunk `chunk` is stored, and the other way round (but for 96 bytes).

        Lines of 96 bytes along K: every second eight lines are rotated by a chunk. Other lines along K: c ^ (line /
        lines a bank row), so that the 16 rows of a fragment meet every bank evenly. Lines along the rows: a transposing
        read takes 8 (16-bit) or 16 (8-bit) lines in one phase, which bits 0, 1, 3 or 0, 1, 2, 4 of k number; those that
        do not move the bank already choose the unit of 16 rows.
        """
        if self.rotates:
            return (chunk + line // 8 % 2) % (self.line_bytes // CHUNK_BYTES)
        if not self.along_k:
            lines_a_row = max(128 // self.line_bytes, 1)
            return chunk ^ line // lines_a_row % min(self.line_bytes // CHUNK_BYTES, 8)
        number = line * 0
        for out, bit in enumerate(self._moving_bits):
            number = number | (line >> bit & 1) << out
        return chunk ^ number * (self.unit_bytes // CHUNK_BYTES)

    @property
    def rotates(self) -> bool:
        """Tell whether lines are the 96 bytes of 128 6-bit elements, whose chunks are rotated."""
        return self.line_bytes == 96

    @property
    def unit_bytes(self) -> int:
        """Bytes of 16 rows in a line along the rows."""
        return FRAGMENT * self.bits // 8

    @property
    def _moving_bits(self) -> tuple[int, ...]:
        bits = (0, 1, 3) if self.bits == 16 else (0, 1, 2, 4)
        return bits[log2(BANK_ROW // self.line_bytes) :]

    def row_of_line(self, row: Index) -> Index:
        """Return the row of the half tile that row `row` of LDS, and of the fragments, holds.

        Where it is `paired`, row 16 j + r of a block of 32 holds row 8 (r / 4) + 4 j + r % 4: the four accumulators of
        a lane in fragment j = 0 and its four in j = 1 are eight consecutive columns then.
        """
        if not self.paired:
            return row
        block, j, r = row // 32, row // FRAGMENT % 2, row % FRAGMENT
        return block * 32 + r // QUAD * 8 + j * QUAD + r % QUAD

    # Fetching: thread t of the workgroup, chunk by chunk through the half tile.

    def _fetched(self, part: int, lane_bytes: int) -> tuple[Table, Table]:
        """Return line and byte in LDS that each thread's load number `part`, of `lane_bytes` a lane, fills."""
        thread = np.arange(self.waves * WAVE_SIZE)
        wave, lane = thread // WAVE_SIZE, thread % WAVE_SIZE
        if lane_bytes == CHUNK_BYTES:  # lanes without a chunk repeat others, so that the table stays one of bits
            lane = lane % self.lanes_of_part(part)
        byte = wave * self.wave_bytes + part * WAVE_SIZE * lane_bytes + lane * lane_bytes
        return byte // self.line_bytes, byte % self.line_bytes

    def fetch_line(self, part: int, lane_bytes: int = CHUNK_BYTES) -> Table:
        """Return the line (row of the half tile, or k) that each thread fetches."""
        line, _ = self._fetched(part, lane_bytes)
        return line if self.along_k else self.row_of_line(line)

    def fetch_byte(self, part: int, lane_bytes: int = CHUNK_BYTES) -> Table:
        """Return the byte of its line in memory at which each thread fetches."""
        line, byte = self._fetched(part, lane_bytes)
        chunk = byte // CHUNK_BYTES
        chunk = (chunk - line // 8 % 2) % 6 if self.rotates else self.stored_chunk(line, chunk)
        return chunk * CHUNK_BYTES + byte % CHUNK_BYTES

    # Reading.

    @cached_property
    def bases(self) -> int:
        """Base registers that reading takes: one a chunk of a line along K, one a fragment of a line along the rows."""
        if self.rotates:
            return len(EIGHTS)
        return self.fragments if self.along_k else self.line_bytes // CHUNK_BYTES // GROUPS

    def read_row(self) -> Table:
        """Return the row of LDS that each thread reads for fragment 0, where lines run along K."""
        thread = np.arange(self.waves * WAVE_SIZE)
        way = thread // WAVE_SIZE >> self.shift & self.ways - 1
        return way * self.fragments * FRAGMENT + thread % FRAGMENT

    def read_base(self, base: int) -> Table:
        """Return the byte from the start of the half tile at which each thread reads by base register `base`."""
        thread = np.arange(self.waves * WAVE_SIZE)
        way, lane = thread // WAVE_SIZE >> self.shift & self.ways - 1, thread % WAVE_SIZE
        group, within = lane // FRAGMENT, lane % FRAGMENT
        if not self.along_k:
            row = self.read_row()
            if self.rotates:
                byte = group * 24 + base * 8
                byte = self.stored_chunk(row, byte // CHUNK_BYTES) * CHUNK_BYTES + byte % CHUNK_BYTES
            else:
                byte = self.stored_chunk(row, base * GROUPS + group) * CHUNK_BYTES
            return self.line_start(row) + byte
        lanes_a_line = self.unit_bytes // 8
        line = group * (8 if self.bits == 16 else 16) + within // lanes_a_line
        unit = way * self.fragments + base
        chunk = self.stored_chunk(line, unit * (self.unit_bytes // CHUNK_BYTES))
        return line * self.line_bytes + chunk * CHUNK_BYTES + within % lanes_a_line * 8

    def pieces(self, fragment: int) -> list[Piece]:
        """Return the LDS reads of a fragment with all K of the tile."""
        if not self.along_k:
            offset = self.line_start(fragment * FRAGMENT) - self.scale_bytes
            if self.rotates:
                return [Piece(2 * eight, 2, "ds_read_b64", eight, offset) for eight in EIGHTS]
            return [Piece(4 * base, 4, "ds_read_b128", base, offset) for base in range(self.bases)]
        slice_k, half_k, mnemonic = (32, 4, "ds_read_b64_tr_b16") if self.bits == 16 else (64, 8, "ds_read_b64_tr_b8")
        return [
            Piece(4 * s + 2 * h, 2, mnemonic, fragment, (s * slice_k + h * half_k) * self.line_bytes)
            for s in range(self.depth // slice_k)
            for h in (0, 1)
        ]

    # Block scales: units of 64 rows and 128 k, unit u of a half tile in front of what wave u fetches.

    @property
    def scale_slices(self) -> int:
        """Units of scales along K of a step, which are scale registers of a region."""
        return self.depth // SCALE_DEPTH

    @property
    def scale_units(self) -> int:
        """Units of scales of a half tile."""
        return max(self.half // SCALE_ROWS, 1) * self.scale_slices

    def scale_read(self) -> Table:
        """Return the byte of half tile 0 at which each thread reads the scales of its fragments, slice 0.

        Row R of a unit has byte i of dwords r, with R = 32 (i / 2) + 8 (r / 4) + 4 (i % 2) + r % 4: bytes that follow
        each other are those of fragments that do, where the side is paired; else a wave has one fragment.
        """
        thread = np.arange(self.waves * WAVE_SIZE)
        way, lane = thread // WAVE_SIZE >> self.shift & self.ways - 1, thread % WAVE_SIZE
        row = self.row_of_line(way * self.fragments * FRAGMENT + lane % FRAGMENT)
        unit, row = row // SCALE_ROWS * self.scale_slices, row % SCALE_ROWS
        dword = lane // FRAGMENT * FRAGMENT + row % 32 // 8 * 4 + row % 4
        return unit * self.wave_stride + dword * DWORD_BYTES + row // 32 * 2 + row // 4 % 2

    def scale_start(self, half: int) -> int:
        """Return the byte of a half tile's units where its scales start: halves of 32 rows share a unit."""
        return half * self.half % SCALE_ROWS // FRAGMENT


@dataclass(frozen=True)
class TilePlan:
    """A tile of the GEMM on an arch: its two sides, the matrix instruction, the waves and the buffers.

    ``multiply`` takes B's fragment first, so that a lane holds one row of C and four of its columns. ``sets`` are the
    register sets of each region; with `shared_a` both halves of A take one in turn. ``direct`` says that loads go to
    LDS without registers. ``producers`` are waves that only fetch, as many as multiply. ``in_agprs`` are the sides
    whose fragments are AGPRs.
    """

    arch: str
    a: Side
    b: Side
    multiply: MfmaSpec
    formats: tuple[int, int] | None
    waves_m: int
    waves_n: int
    direct: bool
    sets: tuple[int, int, int, int]
    shared_a: bool
    producers: int = 0
    in_agprs: frozenset[str] = frozenset()

    @property
    def waves(self) -> int:
        return self.waves_m * self.waves_n

    @property
    def threads(self) -> int:
        """Threads of a workgroup, those of producers behind those that multiply."""
        return (self.waves + self.producers) * WAVE_SIZE

    @property
    def slots(self) -> int:
        return self.a.slots

    @property
    def depth(self) -> int:
        """K of a step."""
        return self.a.depth

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.a, self.b

    def side(self, name: str) -> Side:
        """Return the side of ``A``, ``B`` or a region such as ``A0``."""
        return self.a if name[0] == "A" else self.b

    @property
    def scaled(self) -> bool:
        """Tell whether both sides have block scales."""
        return self.a.scaled

    @property
    def words(self) -> bool:
        """Tell whether lines at multiples of 4 bytes have a pipeline of their own: where their offsets have room."""
        chunks = sum(len(HALVES) * side.parts for side in self.sides)
        return not any(side.strided or side.scaled for side in self.sides) and chunks <= 8

    @property
    def packs(self) -> bool:
        """Tell whether elements at any address have a pipeline of their own."""
        return self.words and self.waves == 8 and all(side.bits == 16 for side in self.sides)

    @property
    def parts(self) -> int:
        """Matrix instructions along K of a step."""
        return self.depth // self.multiply.k

    @property
    def accumulators(self) -> int:
        """Accumulator registers of a wave."""
        return len(HALVES) ** 2 * self.a.fragments * self.b.fragments * QUAD

    @property
    def run(self) -> int:
        """Consecutive columns of C that a lane holds."""
        return 2 * QUAD if self.b.paired else QUAD

    @property
    def lds_bytes(self) -> int:
        return self.a.bytes + self.b.bytes

    @property
    def label(self) -> str:
        return f"{self.a.rows}x{self.b.rows}x{self.depth}"

    # What a lane holds of C.

    @property
    def columns_a_run(self) -> int:
        """Fragments of B that make one run of columns."""
        return self.run // QUAD

    @property
    def runs(self) -> int:
        """Runs of a lane in a half tile of B."""
        return self.b.fragments // self.columns_a_run

    def row_base(self) -> Table:
        """Return the row of a half tile of C that each thread holds in fragment 0 of A."""
        thread = np.arange(self.waves * WAVE_SIZE)
        way = thread // WAVE_SIZE >> self.a.shift & self.a.ways - 1
        return self.a.row_of_line(way * self.a.fragments * FRAGMENT + thread % FRAGMENT)

    def row_step(self, fragment: int) -> int:
        """Return how many rows further down fragment `fragment` of A lies."""
        return int(self.a.row_of_line(fragment * FRAGMENT))

    def column_base(self) -> Table:
        """Return the first column of a half tile of C that each thread holds in run 0."""
        thread = np.arange(self.waves * WAVE_SIZE)
        way = thread // WAVE_SIZE >> self.b.shift & self.b.ways - 1
        return way * self.b.fragments * FRAGMENT + thread % WAVE_SIZE // FRAGMENT * self.run

    def column_step(self, run: int) -> int:
        """Return how many columns further right run `run` starts."""
        return run * self.columns_a_run * FRAGMENT
