"""Tiles in LDS: shapes with swizzles or padding, and where every element lies.

A tile is a grid of subtiles, row by row, each of them contiguous; a swizzle acts on byte offsets inside a subtile. The
named shapes and their formulas are HipKittens' (st_shape.cuh; its fp6 branch for 6 bits); that for 4 bits is hkasm's,
the best that `hkasm.tiles.solver` finds for ``ds_read_b128`` rows and ``ds_read_b64_tr_b4`` columns together.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hkasm.asm.builder import Builder
from hkasm.errors import UsageError, did_you_mean
from hkasm.tiles.layout import dtype_bits
from hkasm.tiles.swizzle import LINEAR, Index, Swizzle

__all__ = ["SHARED_SHAPES", "Padding", "SharedShape", "SharedTile", "shared_shape"]


@dataclass(frozen=True)
class Padding:
    """`bytes` unused bytes behind every `every` bytes of a tile, subtile borders not regarded."""

    every: int
    bytes: int

    def __call__(self, offset: Index) -> Index:
        """Return where the byte at an unpadded offset lies."""
        return offset + offset // self.every * self.bytes


@dataclass(frozen=True)
class SharedShape:
    """A subtile: `rows` x `cols` elements of `bits` bits, row-major, then swizzled, `padding` over the whole tile.

    `packed` of 6-bit elements: 16 elements take 12 bytes at the start of a 16-byte chunk (rows of a power of two, and
    the place where gfx950's 12-byte direct loads put a lane by two of three sources); otherwise they are dense.
    """

    name: str
    rows: int
    cols: int
    bits: int
    swizzle: Swizzle = LINEAR
    padding: Padding | None = None
    chunked: bool = False

    def __post_init__(self) -> None:
        if self.chunked and (self.bits != 6 or self.cols % 16):
            raise UsageError(f"{self.name}: 12 of 16 bytes are for 6-bit elements, 16 at a time")
        if self.rows * self.cols * self.bits % 8 or self.row_bits % 8:
            raise UsageError(f"{self.name}: rows of {self.cols} elements of {self.bits} bits are no whole bytes")
        if self.swizzle and 8 * self.swizzle.chunk_bytes < self.bits:
            raise UsageError(f"{self.name}: a swizzle of chunks of {self.swizzle.chunk_bytes} bytes tears its elements")
        if self.swizzle and self.bytes % self.swizzle.period:
            raise UsageError(
                f"{self.name}: a swizzle with a period of {self.swizzle.period} bytes over {self.bytes}",
                hint="the subtile's bytes are a multiple of the period, so that no byte leaves it",
            )

    @property
    def row_bits(self) -> int:
        """Return the bits of a row, unused ones included."""
        return self.cols // 16 * 128 if self.chunked else self.cols * self.bits

    @property
    def row_bytes(self) -> int:
        """Return the bytes of a row."""
        return self.row_bits // 8

    @property
    def bytes(self) -> int:
        """Return the bytes of a subtile, without padding."""
        return self.rows * self.row_bytes

    def linear_bit(self, row: Index, col: Index) -> Index:
        """Return the bit at which an element of the subtile starts, before the swizzle."""
        if self.chunked:
            return row * self.row_bits + col // 16 * 128 + col % 16 * 6
        return row * self.row_bits + col * self.bits

    def bit(self, row: Index, col: Index) -> Index:
        """Return the bit, from the subtile's start, at which an element starts."""
        linear = self.linear_bit(row, col)
        return self.swizzle(linear // 8) * 8 + linear % 8

    def element_at(self, byte: Index) -> tuple[Index, Index]:
        """Return the element that starts in a byte of the subtile (or covers its first bit)."""
        linear = self.swizzle(byte)
        row, rest = linear // self.row_bytes, linear % self.row_bytes * 8
        if self.chunked:
            return row, rest // 128 * 16 + rest % 128 // 6
        return row, rest // self.bits


# ---- named shapes --------------------------------------------------------------------------------------------------

# name, rows, columns and the swizzle by bits of an element; other sizes have no such shape
# fmt: off
_SHAPES: tuple[tuple[str, int, int, dict[int, Swizzle]], ...] = (
    ("st_16x16",           16,  16, {16: LINEAR, 32: LINEAR}),
    ("st_16x16_swizzled",  16,  16, {16: Swizzle(((7, 2, 3),)), 32: LINEAR}),
    ("st_16x32",           16,  32, {16: Swizzle(((9, 1, 5),)), 32: LINEAR}),
    ("st_32x16",           32,  16, {16: Swizzle(((9, 1, 4),)), 32: LINEAR}),
    ("st_32x32",           32,  32, {16: Swizzle(((9, 1, 5), (10, 1, 4))), 32: LINEAR}),
    ("st_8x32",             8,  32, {16: LINEAR, 32: LINEAR}),
    ("st_16x128",          16, 128, {8: Swizzle(((8, 3, 4),)), 6: Swizzle(((7, 3, 4),)),
                                     4: Swizzle(((8, 1, 5), (8, 2, 4)))}),
)
# fmt: on
SHARED_SHAPES = tuple(name for name, *_ in _SHAPES)
"""The names of the shapes that `shared_shape` knows."""


def shared_shape(name: str | SharedShape, dtype: str) -> SharedShape:
    """Return a named shape for elements of a dtype. Raises UsageError for a name or a size of element it has not."""
    if isinstance(name, SharedShape):
        return name
    word = name if name.startswith("st_") else f"st_{name}"
    found = next((shape for shape in _SHAPES if shape[0] == word), None)
    if found is None:
        raise UsageError(
            f"no shared tile shape '{name}'",
            hint=did_you_mean(word, SHARED_SHAPES) or f"shapes: {', '.join(SHARED_SHAPES)}",
        )
    _, rows, cols, swizzles = found
    bits = dtype_bits(dtype)
    if bits not in swizzles:
        usable = [shape[0] for shape in _SHAPES if bits in shape[3]]
        raise UsageError(
            f"{word} is not for {dtype} ({bits} bits)",
            hint=f"shapes for it: {', '.join(usable)}" if usable else "give a SharedShape of your own",
        )
    return SharedShape(word, rows, cols, bits, swizzles[bits], chunked=bits == 6)


@dataclass(frozen=True)
class SharedTile:
    """A tile in LDS: `rows` x `cols` elements from byte `offset` on, in `slots` buffers `slot_stride` bytes apart.

    A view (`sub`) keeps the grid of subtiles of its parent: `origin` is its first element there, `grid` the parent's
    subtiles in a row, `extent` the bytes of the whole.
    """

    name: str
    dtype: str
    rows: int
    cols: int
    shape: SharedShape
    offset: int = 0
    slots: int = 1
    slot_stride: int = 0
    origin: tuple[int, int] = field(default=(0, 0))
    grid: tuple[int, int] = field(default=(0, 0))

    def __post_init__(self) -> None:
        if self.shape.bits != dtype_bits(self.dtype):
            raise UsageError(f"{self.name}: {self.shape.name} has elements of {self.shape.bits} bits, not {self.dtype}")
        if self.grid == (0, 0):
            if self.rows < 1 or self.cols < 1 or self.rows % self.shape.rows or self.cols % self.shape.cols:
                raise UsageError(
                    f"{self.name}: {self.rows}x{self.cols} is no whole number of {self.shape.name}",
                    hint=f"rows by {self.shape.rows}, columns by {self.shape.cols}",
                )
            object.__setattr__(self, "grid", (self.rows // self.shape.rows, self.cols // self.shape.cols))
        if self.slots > 1 and self.slot_stride < self.bytes:
            raise UsageError(f"{self.name}: buffers of {self.bytes} bytes, {self.slot_stride} apart")

    @classmethod
    def allocate(
        cls, k: Builder, name: str, dtype: str, rows: int, cols: int, shape: str | SharedShape, *, slots: int = 1
    ) -> SharedTile:
        """Reserve LDS for a tile, `slots` times, at a multiple of 16 bytes. Raises RegisterError where LDS is full."""
        tile = cls(name, dtype, rows, cols, shared_shape(shape, dtype))
        stride = -(-tile.bytes // 16) * 16
        region = k.lds(name, slots * stride)
        return replace(tile, offset=region.offset, slots=slots, slot_stride=stride)

    @property
    def bytes(self) -> int:
        """Return the bytes of one buffer of the whole tile, padding included."""
        linear = self.grid[0] * self.grid[1] * self.shape.bytes
        return self.shape.padding(linear) if self.shape.padding else linear

    def start(self, slot: int = 0) -> int:
        """Return the byte of LDS at which a buffer starts. Raises IndexError for a buffer that is not there."""
        if not 0 <= slot < self.slots:
            raise IndexError(f"{self.name}: buffer {slot} of {self.slots}")
        return self.offset + slot * self.slot_stride

    def bit(self, row: Index, col: Index) -> Index:
        """Return the bit, from the start of a buffer, at which an element starts; pure, on numbers and arrays."""
        shape = self.shape
        row, col = row + self.origin[0], col + self.origin[1]
        number = row // shape.rows * self.grid[1] + col // shape.cols
        bit = shape.bit(row % shape.rows, col % shape.cols)
        linear = number * shape.bytes + bit // 8
        return (shape.padding(linear) if shape.padding else linear) * 8 + bit % 8

    def address(self, row: Index, col: Index, slot: int = 0) -> Index:
        """Return the byte of LDS in which an element starts."""
        return self.bit(row, col) // 8 + self.start(slot)

    def element(self, byte: int, slot: int = 0) -> tuple[int, int] | None:
        """Return the element of this view that starts in a byte of LDS, or None for padding and bytes of others."""
        inside = byte - self.start(slot)
        padding = self.shape.padding
        if padding is not None:
            block, rest = divmod(inside, padding.every + padding.bytes)
            if rest >= padding.every:
                return None
            inside = block * padding.every + rest
        number, place = divmod(inside, self.shape.bytes)
        if not 0 <= number < self.grid[0] * self.grid[1]:
            return None
        row, col = self.shape.element_at(place)
        row += number // self.grid[1] * self.shape.rows - self.origin[0]
        col += number % self.grid[1] * self.shape.cols - self.origin[1]
        if not (0 <= row < self.rows and 0 <= col < self.cols) or self.address(row, col, slot) != byte:
            return None
        return row, col

    # -- views -------------------------------------------------------------------------------------------------------

    def sub(self, rows: slice, cols: slice) -> SharedTile:
        """Return a view of some rows and columns; reading it takes the same lane addresses plus one constant.

        Raises UsageError where that would be wrong: the view starts in the middle of what the swizzle or the padding
        moves. IndexError for no element.
        """
        down, across = range(self.rows)[rows], range(self.cols)[cols]
        if not down or not across or down.step != 1 or across.step != 1:
            raise IndexError(f"{self.name}: no elements in rows {rows}, columns {cols} of {self.rows}x{self.cols}")
        view = replace(
            self,
            name=f"{self.name}[{down.start}:{down.stop}, {across.start}:{across.stop}]",
            rows=len(down),
            cols=len(across),
            origin=(self.origin[0] + down.start, self.origin[1] + across.start),
        )
        row, col = np.meshgrid(np.arange(view.rows), np.arange(view.cols), indexing="ij")
        apart = view.bit(row, col) - self.bit(row, col)
        if (apart != apart[0, 0]).any():
            moved = "padding" if self.shape.padding and not self.shape.swizzle else "swizzle"
            raise UsageError(
                f"{view.name}: starts inside {self.shape.name}, whose {moved} moves its elements otherwise there",
                hint=f"start at rows by {self.shape.rows} and columns by {self.shape.cols}",
            )
        return view

    def __getitem__(self, index: tuple[int | slice, int | slice]) -> SharedTile:
        """Return a view of whole subtiles, by number or by slice of them: ``tile[0, 1:3]``."""
        picked = [
            slice(part * size, (part + 1) * size)
            if isinstance(part, int)
            else slice(*(None if end is None else end * size for end in (part.start, part.stop)))
            for part, size in zip(index, (self.shape.rows, self.shape.cols), strict=True)
        ]
        return self.sub(picked[0], picked[1])

    def as_dtype(self, dtype: str) -> SharedTile:
        """Return the same bytes as elements of another size: columns change. Raises UsageError for torn elements."""
        bits, shape = dtype_bits(dtype), self.shape
        if bits == shape.bits:
            return replace(self, dtype=dtype)
        if shape.chunked or bits == 6 or shape.bits == 6:
            raise UsageError(
                f"{self.name}: {self.dtype} is not seen as {dtype}", hint="6-bit elements have no such view"
            )
        if shape.swizzle and bits > 8 * shape.swizzle.chunk_bytes:
            raise UsageError(
                f"{self.name}: the swizzle of {shape.name} keeps {shape.swizzle.chunk_bytes} bytes together, "
                f"elements of {dtype} have {bits // 8}",
                hint="use a shape whose swizzle moves larger chunks",
            )
        across = [shape.cols * shape.bits, self.cols * shape.bits, self.origin[1] * shape.bits]
        if any(length % bits for length in across):
            raise UsageError(f"{self.name}: {self.cols} columns of {self.dtype} are no whole number of {dtype}")
        return replace(
            self,
            dtype=dtype,
            cols=across[1] // bits,
            shape=replace(shape, cols=across[0] // bits, bits=bits),
            origin=(self.origin[0], across[2] // bits),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the tile as plain data, for printing."""
        return {
            "name": self.name, "dtype": self.dtype, "rows": self.rows, "cols": self.cols, "shape": self.shape.name,
            "swizzle": self.shape.swizzle.formula, "offset": self.offset, "bytes": self.bytes, "slots": self.slots,
            "slot_stride": self.slot_stride,
        }  # fmt: skip
