"""Tiles and vectors in registers: typed, with a layout, allocated or pinned; views of them cost no instruction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.builder import Builder
from hkasm.asm.emitter import caller_origin
from hkasm.asm.registerfile import Owner
from hkasm.errors import RegisterError, UsageError
from hkasm.isa.registers import FILES, Register
from hkasm.tiles.layout import (
    LANES,
    BaseShape,
    Layout,
    Place,
    TileForm,
    Words,
    base_shape,
    dtype_bits,
    other_layout,
    pack_tile,
    unpack_tile,
)

__all__ = ["Lease", "Pin", "RegTile", "RegVec", "VecKind"]

Pin = int | Register | Sequence[Register]
"""Where a tile must lie: its first register, or slices of one or both files in order."""
VecKind = Literal["naive", "align", "ortho"]


@dataclass(frozen=True, eq=False)
class Lease:
    """The allocations that a tile and its views live in; says whether they are still held."""

    name: str
    owners: tuple[Owner, ...]
    freed: list[str] = field(default_factory=list)
    borrowed: bool = False
    """Whether the allocations are another tile's, which alone gives them back."""

    def check(self) -> None:
        """Raise RegisterError if any of the registers was given back."""
        for owner in self.owners:
            if owner.last >= 0:
                raise RegisterError(
                    f"{self.name}: used after its registers {owner.register.text} were freed"
                    + (f" at {self.freed[0]}" if self.freed else ""),
                    where=caller_origin(),
                    hint=f"free it after its last use, or allocate again (first allocated at {owner.where})",
                )

    def free(self, k: Builder) -> None:
        """Give every allocation back. Raises RegisterError where that was done before."""
        self.check()
        self.freed.append(str(caller_origin()))
        k.free(*(owner.register for owner in self.owners))


def take(k: Builder, name: str, pieces: int, width: int, file: str, pin: Pin | None) -> tuple[Registers, Lease]:
    """Allocate `pieces` tuples of `width` registers, or pin them; return them and what holds them.

    Raises RegisterError for slices that do not cut into such tuples, odd starts of tuples, and what the file refuses.
    """
    if file not in ("v", "a"):
        raise UsageError(f"{name}: no file '{file}' for a tile", hint="v (VGPR) or a (AGPR)")
    align = 1 if width == 1 else k.arch.tuple_alignment
    if pin is None or isinstance(pin, int):
        slices = [(file, pieces * width, pin)]
    else:
        given = [pin] if isinstance(pin, Register) else list(pin)
        slices = [(register.file, register.count, register.index) for register in given]
    _check_slices(name, slices, pieces, width)
    taken: list[Register] = []
    for number, (letter, count, start) in enumerate(slices):
        part = name if len(slices) == 1 else f"{name}.{number}"
        allocate = k.vgpr if letter == "v" else k.agpr
        try:
            taken.append(allocate(part, count, align=align, pin=start))
        except RegisterError as error:
            k.free(*taken)
            raise RegisterError(error.message, where=caller_origin(), hint=error.hint) from None
    owners = tuple(owner for owner in (k.files[reg.file].owner_of(reg.index) for reg in taken) if owner is not None)
    return cut(taken, width), Lease(name, owners)


Registers = tuple[Register, ...]


def cut(slices: Iterable[Register], width: int) -> Registers:
    """Cut register slices into tuples of `width`."""
    return tuple(register[first : first + width] for register in slices for first in range(0, register.count, width))


def _check_slices(name: str, slices: Sequence[tuple[str, int, int | None]], pieces: int, width: int) -> None:
    for letter, count, start in slices:
        if letter not in ("v", "a"):
            raise RegisterError(f"{name}: pinned to {FILES.get(letter, letter)}s", hint="tiles live in VGPRs or AGPRs")
        if count % width:
            first = start or 0
            raise RegisterError(
                f"{name}: {letter}[{first}:{first + count - 1}] does not cut into tuples of {width} registers",
                where=caller_origin(),
                hint="give slices of whole base tiles",
            )
    total = sum(count for _, count, _ in slices)
    if total != pieces * width:
        raise RegisterError(
            f"{name}: {pieces} base tiles of {width} registers want {pieces * width}, got {total}",
            where=caller_origin(),
            hint="give slices that hold the whole tile and nothing else",
        )


@dataclass(frozen=True)
class RegTile:
    """A matrix in registers: base tiles of one shape, layout and dtype, each a register tuple, row by row.

    ``tile[i, j]`` is the tuple of a base tile; with a slice in either place it is a view, which shares the registers.
    `pieces` may lie in both files. Views, `transposed` and `as_dtype` cost no instruction.
    """

    name: str
    dtype: str
    rows: int
    cols: int
    shape: BaseShape
    layout: Layout
    pieces: Registers
    lease: Lease | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.shape.require(self.layout)
        if self.rows < 1 or self.cols < 1 or self.rows % self.shape.rows or self.cols % self.shape.cols:
            raise UsageError(
                f"{self.name}: {self.rows}x{self.cols} is no whole number of {self.shape.name}",
                hint=f"rows by {self.shape.rows}, columns by {self.shape.cols}",
            )
        width = self.shape.registers(self.dtype)
        if len(self.pieces) != self.height * self.width or any(piece.count != width for piece in self.pieces):
            raise RegisterError(
                f"{self.name}: {self.height}x{self.width} base tiles want as many tuples of {width} registers, "
                f"got {len(self.pieces)} ({', '.join(piece.text for piece in self.pieces[:4])}, ...)"
            )

    # -- making ----------------------------------------------------------------------------------------------------

    @classmethod
    def allocate(
        cls,
        k: Builder,
        name: str,
        dtype: str,
        rows: int,
        cols: int,
        shape: str | BaseShape = "rt_16x16",
        layout: Layout = "row",
        *,
        file: str = "v",
        pin: Pin | None = None,
    ) -> RegTile:
        """Allocate a tile, in a file or pinned: a first register, a slice, or slices of both files in order.

        Raises UsageError for a size that is no whole number of base tiles, RegisterError where registers are missing,
        owned by somebody else, outside the budget or at an odd number.
        """
        base = base_shape(shape)
        base.require(layout)
        pieces, lease = take(k, name, _count(name, rows, cols, base), base.registers(dtype), file, pin)
        return cls(name, dtype, rows, cols, base, layout, pieces, lease)

    @classmethod
    def over(
        cls,
        name: str,
        registers: Register | Sequence[Register] | RegTile,
        dtype: str,
        rows: int,
        cols: int,
        shape: str | BaseShape = "rt_16x16",
        layout: Layout = "row",
    ) -> RegTile:
        """Return a tile over registers that somebody else owns: another meaning of the same bits, on purpose.

        Over a tile it dies with that tile; whoever gives registers looks after them.
        """
        base = base_shape(shape)
        base.require(layout)
        lease = None
        if isinstance(registers, RegTile) and registers.lease is not None:
            registers.lease.check()
            lease = replace(registers.lease, borrowed=True)
        slices = [registers] if isinstance(registers, Register) else list(registers)
        pieces, width = _count(name, rows, cols, base), base.registers(dtype)
        _check_slices(name, [(part.file, part.count, part.index) for part in slices], pieces, width)
        return cls(name, dtype, rows, cols, base, layout, cut(slices, width), lease)

    def free(self, k: Builder) -> None:
        """Give the registers back; the tile and every view of it are dead. Raises RegisterError for a borrowed tile."""
        if self.lease is None or self.lease.borrowed:
            raise RegisterError(
                f"{self.name}: its registers belong to somebody else",
                where=caller_origin(),
                hint="free the allocation that it lies over",
            )
        self.lease.free(k)

    # -- base tiles and views --------------------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """Return the number of base tiles from top to bottom."""
        return self.rows // self.shape.rows

    @property
    def width(self) -> int:
        """Return the number of base tiles from left to right."""
        return self.cols // self.shape.cols

    @property
    def form(self) -> TileForm:
        """Return the tile without its registers."""
        return TileForm(self.dtype, self.rows, self.cols, self.shape, self.layout)

    @property
    def bits(self) -> int:
        """Return the bits of an element."""
        return dtype_bits(self.dtype)

    @property
    def file(self) -> str:
        """Return ``v``, ``a``, or ``va`` for a tile in both files."""
        files = {piece.file for piece in self.pieces}
        return files.pop() if len(files) == 1 else "va"

    @overload
    def __getitem__(self, index: tuple[int, int]) -> Register: ...
    @overload
    def __getitem__(self, index: tuple[int | slice, slice] | tuple[slice, int]) -> RegTile: ...
    def __getitem__(self, index: tuple[int | slice, int | slice]) -> Register | RegTile:
        """Return the registers of one base tile, or a view for slices. Raises IndexError outside the tile."""
        i, j = index
        if isinstance(i, int) and isinstance(j, int):
            if not (0 <= i < self.height and 0 <= j < self.width):
                raise IndexError(f"{self.name}: base tile ({i}, {j}) of {self.height}x{self.width}")
            if self.lease is not None:
                self.lease.check()
            return self.pieces[i * self.width + j]
        return self.sub(i, j)

    def sub(self, i: int | slice, j: int | slice) -> RegTile:
        """Return a view of base tiles: by number or by slice, at least one. Raises IndexError for none."""
        if self.lease is not None:
            self.lease.check()
        down, across = _picked(i, self.height), _picked(j, self.width)
        if not down or not across:
            raise IndexError(f"{self.name}: no base tile in [{i}, {j}] of {self.height}x{self.width}")
        return replace(
            self,
            name=f"{self.name}[{_text(i)}, {_text(j)}]",
            rows=len(down) * self.shape.rows,
            cols=len(across) * self.shape.cols,
            pieces=tuple(self.pieces[row * self.width + col] for row in down for col in across),
        )

    def __iter__(self) -> Iterator[Register]:
        """Yield the registers of each base tile, row by row."""
        return (self[i, j] for i in range(self.height) for j in range(self.width))

    def transposed(self) -> RegTile:
        """Return the transpose, in the same registers: row layout of A is column layout of A^T."""
        pieces = tuple(self.pieces[i * self.width + j] for j in range(self.width) for i in range(self.height))
        return replace(
            self,
            name=f"{self.name}.T",
            rows=self.cols,
            cols=self.rows,
            shape=self.shape.transposed(),
            layout=other_layout(self.layout),
            pieces=pieces,
        )

    def as_dtype(self, dtype: str) -> RegTile:
        """Return the same bits as elements of another dtype. Raises UsageError for one of another size."""
        if dtype_bits(dtype) != self.bits:
            raise UsageError(
                f"{self.name}: {self.dtype} has {self.bits} bits, {dtype} has {dtype_bits(dtype)}",
                hint="a view keeps the size of an element; convert the values instead",
            )
        return replace(self, dtype=dtype)

    # -- where elements are ----------------------------------------------------------------------------------------

    def place(self, row: int, col: int) -> Place:
        """Return register (counted over `pieces`), lane and first bit of an element. Raises IndexError outside."""
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            raise IndexError(f"{self.name}: element ({row}, {col}) of {self.rows}x{self.cols}")
        inside = self.shape.place(self.layout, self.dtype, row % self.shape.rows, col % self.shape.cols)
        number = row // self.shape.rows * self.width + col // self.shape.cols
        return replace(inside, register=number * self.shape.registers(self.dtype) + inside.register)

    def element(self, place: Place) -> tuple[int, int] | None:
        """Return the element that has its bits at a place, or None where the register holds none there."""
        number, register = divmod(place.register, self.shape.registers(self.dtype))
        inside = self.shape.element(self.layout, self.dtype, replace(place, register=register))
        if inside is None or not 0 <= number < len(self.pieces):
            return None
        i, j = divmod(number, self.width)
        return i * self.shape.rows + inside[0], j * self.shape.cols + inside[1]

    @property
    def registers(self) -> Registers:
        """Return every single register in order of base tiles, as `place` counts them."""
        return tuple(register for piece in self for register in piece)

    def unpack(self, words: Words) -> NDArray[Any]:
        """Return raw codes [..., rows, cols] from the tile's registers [..., registers, 64]."""
        width = self.shape.registers(self.dtype)
        lead = words.shape[:-2]
        base = unpack_tile(
            words.reshape(*lead, self.height, self.width, width, LANES), self.shape, self.layout, self.dtype
        )
        return np.moveaxis(base, -3, -2).reshape(*lead, self.rows, self.cols)

    def pack(self, codes: NDArray[Any]) -> Words:
        """Return the tile's registers [..., registers, 64] of raw codes [..., rows, cols]."""
        lead = codes.shape[:-2]
        split = codes.reshape(*lead, self.height, self.shape.rows, self.width, self.shape.cols)
        words = pack_tile(np.moveaxis(split, -3, -2), self.shape, self.layout, self.dtype)
        return words.reshape(*lead, -1, LANES)


@dataclass(frozen=True)
class RegVec:
    """A vector in registers, laid out for a tile's rows or columns; ``vec[i]`` are the registers of base tile i.

    ``ortho``: one value a lane and base tile, at the lane's line; the lanes that share a line hold copies. ``align``:
    the values of a lane's slots along the line, as the tile holds them; lanes of other lines hold copies. ``naive``:
    element i is in lane i / n of 64, n to a lane in order, no copies. An ortho element has the low bits of a register.
    `along` says which side of the tile the vector counts (``row``: one value a row; ``col``: one value a column).
    """

    name: str
    dtype: str
    length: int
    kind: VecKind
    along: str
    shape: BaseShape
    layout: Layout
    pieces: Registers
    lease: Lease | None = field(default=None, compare=False, repr=False)

    @classmethod
    def for_rows(
        cls, k: Builder, name: str, tile: RegTile, dtype: str = "f32", *, file: str = "v", pin: Pin | None = None
    ) -> RegVec:
        """Allocate one value for each row of a tile: ortho for row layout, align for column layout."""
        return cls._allocate(k, name, dtype, tile, "row", file, pin)

    @classmethod
    def for_cols(
        cls, k: Builder, name: str, tile: RegTile, dtype: str = "f32", *, file: str = "v", pin: Pin | None = None
    ) -> RegVec:
        """Allocate one value for each column of a tile: align for row layout, ortho for column layout."""
        return cls._allocate(k, name, dtype, tile, "col", file, pin)

    @classmethod
    def naive(
        cls, k: Builder, name: str, length: int, dtype: str = "f32", *, file: str = "v", pin: Pin | None = None
    ) -> RegVec:
        """Allocate a plain vector over the lanes. Raises UsageError for a length that is no multiple of 64."""
        if length < 1 or length % LANES:
            raise UsageError(f"{name}: a naive vector of {length}", hint="its length is a multiple of 64")
        shape = BaseShape(LANES, length // LANES, length // LANES)
        pieces, lease = take(k, name, 1, shape.registers(dtype), file, pin)
        return cls(name, dtype, length, "naive", "row", shape, "row", pieces, lease)

    @classmethod
    def _allocate(
        cls, k: Builder, name: str, dtype: str, tile: RegTile, along: str, file: str, pin: Pin | None
    ) -> RegVec:
        kind: VecKind = "ortho" if tile.layout == along else "align"
        count, length = (tile.height, tile.rows) if along == "row" else (tile.width, tile.cols)
        width = 1 if kind == "ortho" else tile.shape.registers(dtype)
        if kind == "ortho" and dtype_bits(dtype) > 32:
            width = dtype_bits(dtype) // 32
        pieces, lease = take(k, name, count, width, file, pin)
        return cls(name, dtype, length, kind, along, tile.shape, tile.layout, pieces, lease)

    def __getitem__(self, index: int) -> Register:
        """Return the registers of a base tile's part. Raises IndexError outside."""
        if not 0 <= index < len(self.pieces):
            raise IndexError(f"{self.name}: part {index} of {len(self.pieces)}")
        if self.lease is not None:
            self.lease.check()
        return self.pieces[index]

    def __len__(self) -> int:
        return len(self.pieces)

    def __iter__(self) -> Iterator[Register]:
        """Yield the registers part by part."""
        return (self[index] for index in range(len(self.pieces)))

    @property
    def step(self) -> int:
        """Return the elements of one part."""
        return self.length // len(self.pieces)

    def element(self, lane: int, slot: int, part: int = 0) -> int:
        """Return which element a lane holds at a slot of a part (ortho: slot 0)."""
        if self.kind == "naive":
            return lane * (self.length // LANES) + slot
        row, col = self.shape.row_col(self.layout, lane, slot)
        return part * self.step + (row if self.along == "row" else col)

    @property
    def slots(self) -> int:
        """Return the elements that a lane holds of one part."""
        return 1 if self.kind == "ortho" else self.shape.elements

    def free(self, k: Builder) -> None:
        """Give the registers back. Raises RegisterError for a vector that owns none."""
        if self.lease is None:
            raise RegisterError(f"{self.name}: its registers belong to somebody else", where=caller_origin())
        self.lease.free(k)


def _count(name: str, rows: int, cols: int, base: BaseShape) -> int:
    """Return the number of base tiles. Raises UsageError for sizes that are no whole number of them."""
    if rows < 1 or cols < 1 or rows % base.rows or cols % base.cols:
        raise UsageError(
            f"{name}: {rows}x{cols} is no whole number of {base.name}",
            hint=f"rows by {base.rows}, columns by {base.cols}",
        )
    return rows // base.rows * (cols // base.cols)


def _picked(index: int | slice, size: int) -> range:
    if isinstance(index, slice):
        return range(size)[index]
    return range(index, index + 1) if 0 <= index < size else range(0)


def _text(index: int | slice) -> str:
    if isinstance(index, int):
        return str(index)
    return f"{'' if index.start is None else index.start}:{'' if index.stop is None else index.stop}"
