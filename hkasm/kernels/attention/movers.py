"""How V gets to LDS and from there to registers with keys along a lane's registers.

gfx950 keeps V as it lies in memory and reads it with transposing LDS reads. gfx942 has none: there a thread loads four
keys of four columns (of two, where there are more threads than that) and commits them transposed, so that a lane's four
keys of a column are eight bytes side by side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.kernels.attention.declared import BLOCK_KV
from hkasm.kernels.attention.softmax import HIGH_HALVES
from hkasm.tiles.access import Table
from hkasm.tiles.fetch import Fetch
from hkasm.tiles.lanes import share_bases, write_bases, write_table
from hkasm.tiles.layout import LANES
from hkasm.tiles.memory import TileView
from hkasm.tiles.ops.shared_moves import SharedMove
from hkasm.tiles.register import RegTile
from hkasm.tiles.shared import SharedTile

QUAD, PAIR = 4, 2
QUAD_BYTES = 8
LOW_HALVES = 0x0504_0100
"""What v_perm_b32 picks: the low halves of its second and first source."""


class Mover(ABC):
    """Brings a block of keys or values to LDS and its fragments to registers."""

    @abstractmethod
    def fetch(self, k: Builder, slot: int, cursor: Register, half: int | None = None) -> None:
        """Load a block that starts `cursor` bytes behind the first row, or one half of its rows."""

    @abstractmethod
    def commit(self, k: Builder, slot: int) -> None:
        """Write what was fetched to registers into LDS."""

    @abstractmethod
    def read(self, k: Builder, slot: int, first: int, last: int) -> None:
        """Read base rows `first` to `last` - 1 of the tile."""


class TileMover(Mover):
    """A block that lies in LDS as it does in memory, rows or columns to a lane as the register tile has them."""

    def __init__(
        self, k: Builder, shared: SharedTile, view: TileView, tile: RegTile, lane: Register, waves: int, *, direct: bool
    ) -> None:
        self.fetcher = Fetch(k, shared, view, k.lane, waves, direct=direct, file=tile.pieces[0].file)
        self.tile = tile
        self.move = SharedMove.plan(k.arch.name, shared, tile.form, slots=range(shared.slots))
        self.bases = k.vgpr(f"{shared.name} read bases", self.move.registers)
        free = k.vgpr(f"{shared.name} free")
        self.move.write_bases(k, self.bases, lane, free)
        k.free(free)

    def fetch(self, k: Builder, slot: int, cursor: Register, half: int | None = None) -> None:
        """Load a block that starts `cursor` bytes behind the first row, or one half of its rows."""
        some = self.fetcher.plan.loads // 2
        loads = None if half is None else range(half * some, half * some + some)
        self.fetcher.load(k, slot, soffset=cursor, loads=loads)

    def commit(self, k: Builder, slot: int) -> None:
        """Write what was fetched to registers into LDS."""
        self.fetcher.commit(k, slot)

    def read(self, k: Builder, slot: int, first: int, last: int) -> None:
        """Read base rows `first` to `last` - 1 of the tile."""
        for i in range(first, last):
            for j in range(self.tile.width):
                self.move.emit_base(k, self.tile, i, j, self.bases, slot=slot)


def quad_address(quad: Table, column: Table, columns: int) -> Table:
    """Return the byte at which four keys of a column lie: columns 2 and 3 of every four in a plane of their own.

    A thread's two 16-byte stores and the reads of 16 neighbouring columns then meet every bank once.
    """
    plane = column >> 1 & 1
    byte: Table = (
        quad * columns * QUAD_BYTES + plane * columns * QUAD + ((column // QUAD * 16 + (column & 1) * 8) ^ plane * 64)
    )
    return byte


class TransposedMover(Mover):
    """V for gfx942: through registers, transposed in fours on the way to LDS, one buffer.

    `temporaries` are 8 registers that are free when a block is committed.
    """

    def __init__(
        self,
        k: Builder,
        start: int,
        columns: int,
        view: TileView,
        tile: RegTile,
        lane: Register,
        waves: int,
        temporaries: Register,
    ) -> None:
        self.view, self.tile, self.turned = view, tile, temporaries
        threads, quads = waves * LANES, BLOCK_KV // QUAD
        across = QUAD if quads * columns // QUAD >= threads else PAIR
        self.units = quads * columns // across // threads
        self.unit_bytes = threads * across * QUAD_BYTES
        self.offsets = [k.vgpr(f"V fetch offset {row}") for row in range(QUAD)]
        self.staged = [
            [k.vgpr(f"V staged {unit} {row}", across // PAIR) for row in range(QUAD)] for unit in range(self.units)
        ]
        self.step, self.cursor = k.sgpr("V unit step"), k.sgpr("V unit cursor")
        self.low, self.high = k.sgpr("low halves"), k.sgpr("high halves")
        self.write_bases = k.vgpr("V commit bases", across // PAIR)
        free = (k.vgpr("V free"), k.vgpr("V free"))
        thread = np.arange(threads, dtype=np.int64)
        quad, column = thread // (columns // across), thread % (columns // across) * across
        for row, target in enumerate(self.offsets):
            view.write_byte_offset(k, target, k.lane, quad * QUAD + row, column * 2, free)
        for number, target in enumerate(self.write_bases):
            write_table(k, target, k.lane, start + quad_address(quad, column + PAIR * number, columns), free[0])
        reads = [
            start + quad_address(2 * (2 * i + part) + np.arange(LANES) // 32, 32 * j + np.arange(LANES) % 32, columns)
            for i in range(tile.height)
            for j in range(tile.width)
            for part in (0, 1)
        ]
        bases = share_bases(reads)
        self.uses = bases.uses
        self.read_bases = k.vgpr("V read bases", len(bases.tables))
        write_bases(k, list(self.read_bases), lane, bases, free[0])
        k.free(*free)
        k.s_mul_i32(self.step, view.pitch, threads // (columns // across) * QUAD)
        k.s_mov_b32(self.low, LOW_HALVES)
        k.s_mov_b32(self.high, HIGH_HALVES)

    def fetch(self, k: Builder, slot: int, cursor: Register, half: int | None = None) -> None:
        """Load a whole block that starts `cursor` bytes behind the first row."""
        where = cursor
        for unit in self.staged:
            if unit is not self.staged[0]:
                k.s_add_u32(self.cursor, where, self.step)
                where = self.cursor
            for target, offset in zip(unit, self.offsets, strict=True):
                load = k.buffer_load_dword if target.count == 1 else k.buffer_load_dwordx2
                load(target, offset, self.view.descriptor, where)

    def commit(self, k: Builder, slot: int) -> None:
        """Write what was fetched to LDS, four keys of a column side by side."""
        for number, unit in enumerate(self.staged):
            for pair in range(self.write_bases.count):  # columns 0 and 1, then 2 and 3
                turned = self.turned[4 * pair : 4 * pair + 4]
                rows = [row[pair] for row in unit]
                for half, selector in enumerate((self.low, self.high)):
                    for two in (0, 1):
                        k.v_perm_b32(turned[2 * half + two], rows[2 * two + 1], rows[2 * two], selector)
                k.ds_write_b128(self.write_bases[pair], turned, offset=number * self.unit_bytes)

    def read(self, k: Builder, slot: int, first: int, last: int) -> None:
        """Read base rows `first` to `last` - 1 of the tile."""
        for i in range(first, last):
            for j in range(self.tile.width):
                for part in (0, 1):
                    base, offset = self.uses[(i * self.tile.width + j) * 2 + part]
                    k.ds_read_b64(self.tile[i, j][2 * part : 2 * part + 2], self.read_bases[base], offset=offset)
