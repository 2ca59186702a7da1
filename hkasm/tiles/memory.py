"""Tiles in global memory: four-dimensional tensors of any size, seen tile by tile through buffer descriptors.

A tile's descriptor starts at its first element, by 64-bit arithmetic, so that tensors over 4 GiB work; its size ends
with the last valid row, so that rows past the end, and tiles outside the tensor, read zero and are not written. What
lies past the last column of a row is not past the end of the buffer: the offsets of lanes there are put out of range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.builder import Builder
from hkasm.asm.emitter import caller_origin
from hkasm.errors import UsageError
from hkasm.isa.registers import VCC, Register
from hkasm.tiles.buffer import ADDRESS_HIGH_MASK, RAW_BUFFER, BufferView
from hkasm.tiles.lanes import bit_columns, bit_summands, write_table
from hkasm.tiles.layout import dtype_bits

__all__ = [
    "BUFFER_OFFSET_MAX",
    "OUT_OF_RANGE",
    "OUT_OF_RANGE_OPERAND",
    "Dim",
    "GlobalTile",
    "TileView",
    "buffer_offset",
]

Table = NDArray[np.int64]
Dim = int | Register
"""A number, or an SGPR that holds it when the kernel runs."""

SPAN = 1 << 31
"""Bytes that no view reaches, so that offsets out of range are out of range of all of them."""
OUT_OF_RANGE = 0xC000_0000
"""A lane offset past the end of every view, and too low to wrap with what instructions add (less than 1 GiB)."""
OUT_OF_RANGE_OPERAND = -2.0
"""The inline constant with these bits: v_cndmask reads VCC and can have no literal beside it."""
BUFFER_OFFSET_MAX = 0xFFF
"""The largest offset in a buffer instruction (12 bits)."""
AXES = 4
COLUMN = 3


def buffer_offset(k: Builder, offset: int, scratch: Register) -> tuple[Dim, int]:
    """Return SGPR operand and immediate that make an offset; one over 12 bits puts its high part into `scratch`.

    Raises UsageError for a negative offset or one of 1 GiB and more.
    """
    if not 0 <= offset < 1 << 30:
        raise UsageError(f"buffer offset {offset}", where=caller_origin(), hint="from 0 up, below 1 GiB")
    high = offset & ~BUFFER_OFFSET_MAX
    if not high:
        return 0, offset
    k.s_mov_b32(scratch, high)
    return scratch, offset & BUFFER_OFFSET_MAX


@dataclass(frozen=True)
class TileView:
    """A tile of `rows` x `cols` elements behind a raw buffer descriptor, whose first element is the tile's.

    `pitch` is bytes a row. `columns` are the valid ones; fewer than `cols` only where the tensor ends.
    """

    descriptor: Register
    dtype: str
    rows: int
    cols: int
    pitch: Dim
    columns: Dim
    align: int

    @property
    def whole_rows(self) -> bool:
        """Tell whether no row of the tile can end before the tile does."""
        return isinstance(self.columns, int) and self.columns >= self.cols

    @property
    def access_bytes(self) -> int:
        """Return how many bytes a lane may move at once: a power of two up to 16 that no row's end or start cuts."""
        bytes_ = self.align * dtype_bits(self.dtype) // 8
        return min(bytes_ & -bytes_, 16)

    def move(self, k: Builder, bytes_: Dim) -> None:
        """Move the view on, to a tile with as many valid rows and columns: a K loop's next."""
        BufferView(self.descriptor).move(k, bytes_)

    def write_offset(
        self, k: Builder, target: Register, index: Register, row: Table, col: Table, free: tuple[Register, Register]
    ) -> None:
        """Write the lane offset of element (row, col) of the tile; lanes past the last column are put out of range.

        `row` and `col` are tables over the lane's (or the thread's) number; VCC is overwritten where rows may end
        early. The two `free` registers may be overwritten. Raises UsageError for tables that `write_table` refuses.
        """
        bits = dtype_bits(self.dtype)
        if (col * bits % 8).any():
            raise UsageError(f"columns of {self.dtype} that start within a byte", where=caller_origin())
        self.write_byte_offset(k, target, index, row, col * bits // 8, free)

    def write_byte_offset(
        self, k: Builder, target: Register, index: Register, row: Table, byte: Table, free: tuple[Register, Register]
    ) -> None:
        """Write the lane offset of a byte of a row, as `write_offset` does of an element."""
        bits = dtype_bits(self.dtype)
        if isinstance(self.pitch, int) and self.whole_rows and _writable(row * self.pitch + byte):
            write_table(k, target, index, row * self.pitch + byte, free[0])
            return
        write_table(k, target, index, byte, free[0])
        if not self.whole_rows:
            if isinstance(self.columns, int):
                k.v_cmp_gt_u32(VCC, -(-self.columns * bits // 8), target)
            else:
                _write_limit(k, free[0], self.columns, bits)
                k.v_cmp_gt_i32(VCC, free[0], target)
        if isinstance(self.pitch, int):
            write_table(k, free[0], index, row * self.pitch, free[1])
        else:
            write_table(k, free[0], index, row, free[1])
            k.v_mul_lo_u32(free[0], free[0], self.pitch)
        k.v_add_u32(target, free[0], target)
        if not self.whole_rows:
            k.v_cndmask_b32(target, OUT_OF_RANGE_OPERAND, target, VCC)


def _writable(table: Table) -> bool:
    return bit_columns(table) is not None or bit_summands(table) is not None


def _write_limit(k: Builder, target: Register, columns: Register, bits: int) -> None:
    """Write the bytes of valid columns, a signed number."""
    if bits in (8, 16, 32, 64):
        k.v_mov_b32(target, columns)
        if bits > 8:
            k.v_lshlrev_b32(target, (bits // 8).bit_length() - 1, target)
        return
    k.v_mov_b32(target, bits)
    k.v_mul_lo_u32(target, target, columns)
    k.v_ashrrev_i32(target, 3, target)


@dataclass(frozen=True)
class GlobalTile:
    """A tensor of four dimensions in global memory, elements of a row side by side.

    `shape` is in elements; `strides` are bytes, of the three outer dimensions; both as numbers or SGPRs. `row_axis` is
    the dimension that a tile's rows run along (2, or 1 as in batch x sequence x heads x head size). `align` is how many
    elements the column count, and everything else that places a row, is a multiple of: wider accesses are not made.
    """

    name: str
    dtype: str
    pointer: Register
    shape: tuple[Dim, Dim, Dim, Dim]
    strides: tuple[Dim, Dim, Dim]
    row_axis: int = 2
    align: int = 1

    def __post_init__(self) -> None:
        bits = dtype_bits(self.dtype)
        if self.pointer.count != 2 or self.pointer.file != "s":
            raise UsageError(f"{self.name}: pointer {self.pointer}", hint="two SGPRs")
        if self.row_axis not in range(COLUMN):
            raise UsageError(f"{self.name}: row axis {self.row_axis}", hint="0, 1 or 2; columns are axis 3")
        if len(self.shape) != AXES or len(self.strides) != COLUMN:
            raise UsageError(f"{self.name}: {len(self.shape)} dimensions, {len(self.strides)} strides", hint="4 and 3")
        if self.align < 1 or self.align * bits % 8:
            raise UsageError(f"{self.name}: {self.align} elements of {self.dtype} are no whole bytes")
        for dim in (*self.shape, *self.strides):
            if isinstance(dim, int) and dim < 0:
                raise UsageError(f"{self.name}: negative size or stride {dim}")
        step = self.align * bits // 8
        uneven = [stride for stride in self.strides if isinstance(stride, int) and stride % step]
        columns = self.shape[COLUMN]
        if uneven or (isinstance(columns, int) and columns % self.align):
            raise UsageError(
                f"{self.name}: alignment of {self.align} elements with strides {self.strides} bytes, {columns} columns",
                hint="give the largest power of two that divides all of them",
            )

    @classmethod
    def packed(
        cls, name: str, dtype: str, pointer: Register, shape: Sequence[int], *, row_axis: int = 2, align: int = 1
    ) -> GlobalTile:
        """Return a tensor of 1 to 4 known dimensions without gaps; missing outer dimensions are 1.

        Raises UsageError for rows of no whole bytes.
        """
        if not 1 <= len(shape) <= AXES or any(not isinstance(size, int) for size in shape):
            raise UsageError(f"{name}: shape {tuple(shape)}", hint="1 to 4 numbers; give strides for runtime sizes")
        full = (*(1,) * (AXES - len(shape)), *shape)
        row_bits = full[3] * dtype_bits(dtype)
        if row_bits % 8:
            raise UsageError(f"{name}: rows of {full[3]} elements of {dtype} are no whole bytes")
        row = row_bits // 8
        strides = (full[1] * full[2] * row, full[2] * row, row)
        return cls(name, dtype, pointer, (full[0], full[1], full[2], full[3]), strides, row_axis, align)

    def view(
        self,
        k: Builder,
        descriptor: Register,
        coords: tuple[Dim, Dim, Dim, Dim],
        rows: int,
        cols: int,
        scratch: Register,
    ) -> TileView:
        """Write a descriptor of tile `coords`: row and column in tiles of `rows` x `cols`, the others in single steps.

        `descriptor` is four SGPRs, `scratch` five; SCC is overwritten. The number of valid columns stays in
        ``scratch[0]`` where it is not known here; the rest may be used again. Raises UsageError for a tile that spans
        2 GiB or columns that start within a byte.
        """
        bits = dtype_bits(self.dtype)
        pitch = self.strides[self.row_axis]
        if descriptor.count != 4 or scratch.count < 5:
            raise UsageError(f"{self.name}: view wants 4 and 5 SGPRs, got {descriptor} and {scratch}")
        if cols * bits % 8:
            raise UsageError(f"{self.name}: tiles of {cols} columns of {self.dtype} start within a byte")
        if isinstance(pitch, int) and (rows - 1) * pitch + cols * bits // 8 >= SPAN:
            raise UsageError(f"{self.name}: {rows} rows of {pitch} bytes span 2 GiB or more", hint="use lower tiles")
        s = _Scalars(k)
        column, first, second, third, fourth = (scratch[i] for i in range(5))
        base: Register = self.pointer
        for axis in range(COLUMN):
            number = s.times(coords[axis], rows if axis == self.row_axis else 1, first)
            base = s.add_product(descriptor[0:2], base, number, self.strides[axis], (second, third))
        base = s.add_product(descriptor[0:2], base, coords[COLUMN], cols * bits // 8, (second, third))
        if base is self.pointer:
            k.s_mov_b64(descriptor[0:2], base)
        start = s.times(coords[COLUMN], cols, first)
        columns = s.least(s.minus(self.shape[COLUMN], start, column), cols, column)
        start = s.times(coords[self.row_axis], rows, first)
        valid = s.least(s.minus(self.shape[self.row_axis], start, first), rows, first)
        line = s.bytes_of(columns, bits, second)
        reach = s.plus(s.times(s.minus(valid, 1, third), pitch, third), line, third)
        reach = s.zero_unless(valid, 1, reach, descriptor[2])
        reach = s.zero_unless(columns, 1, reach, descriptor[2])
        for axis in range(COLUMN):
            if axis != self.row_axis:
                inside = s.minus(self.shape[axis], coords[axis], fourth)
                reach = s.zero_unless(inside, 1, reach, descriptor[2])
        if reach is not descriptor[2]:
            k.s_mov_b32(descriptor[2], reach)
        k.s_and_b32(descriptor[1], descriptor[1], ADDRESS_HIGH_MASK)
        k.s_mov_b32(descriptor[3], RAW_BUFFER)
        return TileView(descriptor, self.dtype, rows, cols, pitch, columns, self.align)


class _Scalars:
    """Arithmetic on numbers and SGPRs; what is known now costs no instruction. Results not known go to a target."""

    def __init__(self, k: Builder) -> None:
        self.k = k

    def times(self, x: Dim, y: Dim, target: Register) -> Dim:
        """Return x * y."""
        if isinstance(x, int) and isinstance(y, int):
            return x * y
        for one, other in ((x, y), (y, x)):
            if one == 0:
                return 0
            if one == 1:
                return other
        self.k.s_mul_i32(target, x, y)
        return target

    def plus(self, x: Dim, y: Dim, target: Register) -> Dim:
        """Return x + y."""
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        self.k.s_add_u32(target, x, y)
        return target

    def minus(self, x: Dim, y: Dim, target: Register) -> Dim:
        """Return x - y."""
        if isinstance(x, int) and isinstance(y, int):
            return x - y
        if y == 0:
            return x
        self.k.s_sub_u32(target, x, y)
        return target

    def least(self, x: Dim, y: int, target: Register) -> Dim:
        """Return the smaller of x (signed) and y."""
        if isinstance(x, int):
            return min(x, y)
        self.k.s_min_i32(target, x, y)
        return target

    def bytes_of(self, columns: Dim, bits: int, target: Register) -> Dim:
        """Return the bytes that a number of elements takes, rounded up."""
        if isinstance(columns, int):
            return -(-columns * bits // 8)
        if bits % 8 == 0:
            return self.times(columns, bits // 8, target)
        self.k.s_mul_i32(target, columns, bits)
        self.k.s_add_u32(target, target, 7)
        self.k.s_lshr_b32(target, target, 3)
        return target

    def zero_unless(self, x: Dim, least: int, value: Dim, target: Register) -> Dim:
        """Return the value where x (signed) is at least so much, else 0."""
        if isinstance(x, int):
            return value if x >= least else 0
        if value == 0:
            return 0
        self.k.s_cmp_ge_i32(x, least)
        self.k.s_cselect_b32(target, value, 0)
        return target

    def add_product(
        self, target: Register, base: Register, x: Dim, y: Dim, temporaries: tuple[Register, Register]
    ) -> Register:
        """Return ``base + x * y`` in 64 bits: `base` where nothing is added, else `target`; x and y are unsigned."""
        k = self.k
        low: Dim
        high: Dim
        if isinstance(x, int) and isinstance(y, int):
            low, high = x * y & 0xFFFF_FFFF, x * y >> 32
        elif x == 1 or y == 1:
            low, high = (y if isinstance(x, int) else x), 0
        elif x == 0 or y == 0:
            low, high = 0, 0
        else:
            low, high = temporaries
            k.s_mul_i32(low, x, y)
            k.s_mul_hi_u32(high, x, y)
        if low == 0 and high == 0:
            return base
        k.s_add_u32(target[0], base[0], low)
        k.s_addc_u32(target[1], base[1], high)
        return target
