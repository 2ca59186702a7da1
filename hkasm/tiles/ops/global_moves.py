"""Global memory to registers and back, through the buffer descriptor of a tile's view.

A lane moves runs of elements that lie side by side in a row: 16 bytes at once at most, less where the view's alignment
or the tile's stride is less. Row layout has such runs; in column layout every element is an access of its own (a tile
read as the transpose of what memory holds, `tile.transposed()`, costs nothing). What lies past the last row or column
reads as zero and is not written: lane offsets there are out of the buffer's range. Offsets stand in VGPRs and 12-bit
immediates alone, because the buffer's range does not count the scalar offset.

Elements below a dword are loaded into registers of their own and put together; a load waits for those.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.tiles.access import Table
from hkasm.tiles.layout import TileForm, dtype_bits
from hkasm.tiles.memory import BUFFER_OFFSET_MAX, TileView
from hkasm.tiles.ops.common import refuse, temporaries
from hkasm.tiles.ops.elements import join_elements, store_elements
from hkasm.tiles.ops.shared_moves import write_lane_number
from hkasm.tiles.register import RegTile

DWORD = 4


@dataclass(frozen=True, eq=False)
class Offset:
    """A lane offset: of element (row, col) by lane; `base` names an earlier one that is `apart` bytes below, or
    none."""

    row: Table
    col: Table
    base: int | None
    apart: int


class Offsets(Protocol):
    """Offset registers by number: a register tuple, or one that is written as it is asked for."""

    def __getitem__(self, number: int, /) -> Register: ...


@dataclass(frozen=True, eq=False)
class GlobalMove:
    """How a view and register tiles of one form exchange elements: `size` bytes an access, its offset and immediate.

    `accesses` are (i, j, first slot, number of the offset register, immediate), in order.
    """

    view: TileView
    form: TileForm
    size: int
    offsets: tuple[Offset, ...]
    accesses: tuple[tuple[int, int, int, int, int], ...]

    @classmethod
    def plan(cls, view: TileView, form: TileForm) -> GlobalMove:
        """Plan the moves of a tile as large as its view.

        Raises:
            UsageError: another size or dtype, or elements that no access of whole bytes holds.
        """
        if (view.rows, view.cols) != (form.rows, form.cols) or view.dtype != form.dtype:
            raise refuse(
                "global move",
                f"the view is {view.rows}x{view.cols} {view.dtype}, the tile {form.rows}x{form.cols} {form.dtype}",
                "a view of the tile's size and dtype",
            )
        bits, shape = dtype_bits(form.dtype), form.shape
        row, col = shape.map(form.layout)
        run = shape.stride if form.layout == "row" else 1
        size = min(run * bits // 8 if run * bits % 8 == 0 else 0, view.access_bytes)
        size = next((width for width in (16, 8, 4, 2, 1) if size >= width and run * bits // 8 % width == 0), 0)
        if not size or (size < DWORD and size * 8 != bits) or 32 % bits:
            raise refuse(
                "global move",
                f"{form} with accesses of {size} bytes",
                "elements of 8 bits and more, and of 4 bits in runs and alignments of a dword; 6 bits go through LDS",
            )
        slots = size * 8 // bits
        offsets: list[Offset] = []
        accesses = []
        for i in range(form.height):
            for j in range(form.width):
                for slot in range(0, shape.elements, max(slots, 1)):
                    where = row[slot] + i * shape.rows, col[slot] + j * shape.cols
                    number, immediate = _find(view, offsets, *where, bits)
                    accesses.append((i, j, slot, number, immediate))
        return cls(view, form, size, tuple(offsets), tuple(accesses))

    @property
    def registers(self) -> int:
        """Return how many VGPRs hold offsets."""
        return len(self.offsets)

    @property
    def temporaries(self) -> int:
        """Return how many more VGPRs a base tile's load wants."""
        return self.form.shape.elements if self.size < DWORD else 0

    def write_offsets(self, k: Builder, registers: Register, lane: Register, free: Register) -> None:
        """Write the offset registers; `free` are two VGPRs; VCC is overwritten where columns end early."""
        for register, offset in zip(registers, self.offsets, strict=True):
            if offset.base is not None:
                k.v_add_u32(register, offset.apart, registers[offset.base])
            else:
                self.view.write_offset(k, register, lane, offset.row, offset.col, (free[0], free[1]))

    def load(self, k: Builder, tile: RegTile, registers: Offsets, *, temps: Register | None = None) -> None:
        """Emit the loads of a whole tile; the caller waits for it (elements below a dword are waited for here)."""
        self._require(tile, load=True)
        for i in range(self.form.height):
            for j in range(self.form.width):
                self.load_base(k, tile, i, j, registers, temps=temps)

    def load_base(
        self, k: Builder, tile: RegTile, i: int, j: int, registers: Offsets, *, temps: Register | None = None
    ) -> None:
        """Emit the loads of base tile (i, j)."""
        piece = tile[i, j]
        if self.size >= DWORD:
            emit = getattr(k, _dword_name("buffer_load", self.size))
            for slot, register, immediate in self._of(i, j):
                emit(
                    self._data(piece, slot), registers[register], self.view.descriptor, 0, offen=True, offset=immediate
                )
            return
        bits = dtype_bits(self.form.dtype)
        emit = k.buffer_load_ushort if bits == 16 else k.buffer_load_ubyte
        with temporaries(k, "load", self.temporaries, temps) as work:
            for slot, register, immediate in self._of(i, j):
                emit(work[slot], registers[register], self.view.descriptor, 0, offen=True, offset=immediate)
            join_elements(k, piece, work, bits)

    def store(self, k: Builder, tile: RegTile, registers: Offsets, *, temps: Register | None = None) -> None:
        """Emit the stores of a whole tile."""
        self._require(tile, load=False)
        for i in range(self.form.height):
            for j in range(self.form.width):
                self.store_base(k, tile, i, j, registers, temps=temps)

    def store_base(
        self, k: Builder, tile: RegTile, i: int, j: int, registers: Offsets, *, temps: Register | None = None
    ) -> None:
        """Emit the stores of base tile (i, j)."""
        piece, places = tile[i, j], self._of(i, j)
        if self.size >= DWORD:
            emit = getattr(k, _dword_name("buffer_store", self.size))
            for slot, register, immediate in places:
                emit(
                    self._data(piece, slot), registers[register], self.view.descriptor, 0, offen=True, offset=immediate
                )
            return
        bits = dtype_bits(self.form.dtype)
        stores = (
            (k.buffer_store_short, k.buffer_store_short_d16_hi)
            if bits == 16
            else (k.buffer_store_byte, k.buffer_store_byte_d16_hi)
        )

        def store(number: int, value: Register, high: bool) -> None:
            _, register, immediate = places[number]
            stores[high](value, registers[register], self.view.descriptor, 0, offen=True, offset=immediate)

        with temporaries(k, "store", 1, temps) as work:
            store_elements(k, piece, bits, len(places), store, work[0])

    def _of(self, i: int, j: int) -> list[tuple[int, int, int]]:
        return [(slot, number, immediate) for a, b, slot, number, immediate in self.accesses if (a, b) == (i, j)]

    def _data(self, piece: Register, slot: int) -> Register:
        first = slot * dtype_bits(self.form.dtype) // 32
        return piece[first : first + self.size // DWORD]

    def _require(self, tile: RegTile, *, load: bool) -> None:
        if tile.form != self.form:
            raise refuse("global move", f"{tile.name} is {tile.form}", str(self.form))
        bytes_alone = dtype_bits(self.form.dtype) == 8
        if self.size < DWORD and (load or bytes_alone) and any(piece.file != "v" for piece in tile.pieces):
            raise refuse("global move", f"{tile.name} is in AGPRs", "VGPRs for elements below a dword")


def _dword_name(stem: str, size: int) -> str:
    return f"{stem}_dword" + ("" if size == DWORD else f"x{size // DWORD}")


def _find(view: TileView, offsets: list[Offset], row: Table, col: Table, bits: int) -> tuple[int, int]:
    """Return an offset register and an immediate for an access, adding a register where none is near enough."""
    for number, offset in enumerate(offsets):
        apart = _apart(view, offset, row, col, bits)
        if apart is not None and offset.base is None:
            if 0 <= apart <= BUFFER_OFFSET_MAX:
                return number, apart
            for later, other in enumerate(offsets):
                if other.base == number and 0 <= apart - other.apart <= BUFFER_OFFSET_MAX:
                    return later, apart - other.apart
            if apart > 0:
                offsets.append(Offset(row, col, number, apart))
                return len(offsets) - 1, 0
    offsets.append(Offset(row, col, None, 0))
    return len(offsets) - 1, 0


def _apart(view: TileView, offset: Offset, row: Table, col: Table, bits: int) -> int | None:
    """Return the bytes from an offset to another, if they are the same in all lanes and the same columns are valid."""
    down, across = row - offset.row, (col - offset.col) * bits // 8
    if across.any() and not view.whole_rows:
        return None
    if not isinstance(view.pitch, int):
        return None if down.any() or (across != across[0]).any() else int(across[0])
    total = down * view.pitch + across
    return int(total[0]) if (total == total[0]).all() else None


def load_global(
    k: Builder, d: RegTile, view: TileView, *, lane: Register | None = None, temps: Register | None = None
) -> None:
    """Load a register tile from global memory, offsets included; a loop writes them once with `GlobalMove` instead.

    `lane` holds the lane's number in the wave (written anew if not given). The caller waits for `d`.

    Raises:
        UsageError: a view of another size or dtype, or elements that no access holds.
    """
    _move(k, d, view, True, lane, temps)


def store_global(
    k: Builder, view: TileView, s: RegTile, *, lane: Register | None = None, temps: Register | None = None
) -> None:
    """Store a register tile to global memory, offsets included. Raises UsageError as `load_global`."""
    _move(k, s, view, False, lane, temps)


@dataclass
class _Written:
    """Offsets written into a few registers when they are wanted, the least recently used one overwritten."""

    k: Builder
    move: GlobalMove
    registers: Register
    lane: Register
    free: Register
    _held: dict[int, Register] = field(default_factory=dict)

    def __getitem__(self, number: int, /) -> Register:
        held = self._held.pop(number, None)
        if held is None:
            held = self._write(number)
        self._held[number] = held
        return held

    def _write(self, number: int) -> Register:
        offset = self.move.offsets[number]
        below = None if offset.base is None else self._held.get(offset.base)
        if len(self._held) < self.registers.count:
            register = self.registers[len(self._held)]
        else:
            register = self._held.pop(next(iter(self._held)))
        if below is not None:
            self.k.v_add_u32(register, offset.apart, below)
        else:
            free = self.free[0], self.free[1]
            self.move.view.write_offset(self.k, register, self.lane, offset.row, offset.col, free)
        return register


OFFSETS_HELD = 8
"""Offset registers of `load_global` and `store_global`, at most."""


def _move(k: Builder, tile: RegTile, view: TileView, load: bool, lane: Register | None, temps: Register | None) -> None:
    move = GlobalMove.plan(view, tile.form)
    held = min(move.registers, OFFSETS_HELD)
    count = held + 3
    count += count % 2
    more = move.temporaries if load else int(move.size < DWORD)
    with temporaries(k, "global move", count + more, temps) as work:
        number, free = work[held], work[held + 1 : held + 3]
        if lane is None:
            write_lane_number(k, number)
        offsets = _Written(k, move, work[0:held], lane or number, free)
        rest = work[count:] if more else None
        if load:
            move.load(k, tile, offsets, temps=rest)
        else:
            move.store(k, tile, offsets, temps=rest)
