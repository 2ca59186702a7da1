"""Which lane, register and bit of a register tile holds which element, and back: pure functions, one rule for all.

A base tile of R x C elements with stride S lies in the 64 lanes of a wave like this (row layout): lane l holds elements
of row ``l % R``; its run number k of S consecutive elements starts at column ``S * (l // R) + k * G`` with
``G = S * 64 / R``. Column layout is the same with rows and columns exchanged. A lane's elements are numbered run by run
(the slot); slot s is bits ``[s * bits, (s + 1) * bits)`` of the lane's registers as one little-endian number, so that
6-bit elements cross registers. HipKittens' register tiles and every operand of every matrix instruction follow this
rule (rt_shape.cuh; `hkasm.isa.mfma.layout`, which `mfma_operand` reads).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from math import gcd
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from hkasm.errors import UsageError, did_you_mean
from hkasm.isa import mfma
from hkasm.isa.mfma import F8F6F4_FORMATS, MfmaSpec, mfma_spec
from hkasm.isa.numerics import pack_bits, unpack_bits

__all__ = [
    "DTYPE_BITS",
    "HIPKITTENS_SHAPES",
    "LANES",
    "BaseShape",
    "Layout",
    "Operand",
    "Place",
    "TileForm",
    "base_shape",
    "dtype_bits",
    "mfma_operand",
    "other_layout",
    "pack_tile",
    "unpack_tile",
]

Layout = Literal["row", "col"]
Index = TypeVar("Index", int, NDArray[np.int64])
Codes = NDArray[Any]
Words = NDArray[np.uint32]

LANES = 64
DTYPE_BITS: dict[str, int] = {**mfma.TYPE_BITS, "e8m0": 8}
"""Bits of an element. `fp8` and `bf8` are FNUZ on gfx942 and OCP on gfx950; `xf32` exists on gfx942."""
_DEFAULT_STRIDE = {
    (16, 16): 4, (32, 32): 4, (16, 32): 8, (32, 16): 8,
    (16, 128): 16, (128, 16): 16, (32, 64): 16, (64, 32): 16,
}  # fmt: skip
_NAME = re.compile(r"(?:rt_)?(\d+)x(\d+)(?:_(\d+))?")


def dtype_bits(dtype: str) -> int:
    """Return the bits of an element. Raises UsageError for a dtype that no tile has."""
    if dtype not in DTYPE_BITS:
        raise UsageError(
            f"no tile of dtype '{dtype}'",
            hint=did_you_mean(dtype, DTYPE_BITS) or f"dtypes: {', '.join(DTYPE_BITS)}",
        )
    return DTYPE_BITS[dtype]


def other_layout(layout: Layout) -> Layout:
    """Return the layout of the transpose."""
    return "col" if layout == "row" else "row"


@dataclass(frozen=True)
class Place:
    """Where an element is: register counted from the first of its tile, lane, and first bit in the register."""

    register: int
    lane: int
    bit: int


@dataclass(frozen=True)
class BaseShape:
    """The part of a register tile that one instruction works on: `rows` x `cols` elements in runs of `stride`.

    Raises UsageError for sizes that no layout can spread over 64 lanes.
    """

    rows: int
    cols: int
    stride: int

    def __post_init__(self) -> None:
        if min(self.rows, self.cols, self.stride) < 1 or not (self._fits("row") or self._fits("col")):
            raise UsageError(
                f"no lane layout for {self.rows}x{self.cols} elements in runs of {self.stride}",
                hint="rows (or columns) divide 64 lanes, and runs x lanes a line divide the other side",
            )

    @property
    def name(self) -> str:
        """Return HipKittens' kind of name: ``rt_16x32``, and ``rt_16x32_4`` for a stride that is not the usual one."""
        suffix = "" if self.stride == default_stride(self.rows, self.cols) else f"_{self.stride}"
        return f"rt_{self.rows}x{self.cols}{suffix}"

    def __str__(self) -> str:
        return self.name

    @property
    def elements(self) -> int:
        """Return the elements of a lane."""
        return self.rows * self.cols // LANES

    def registers(self, dtype: str) -> int:
        """Return the registers of a lane; elements that do not fill one leave its high bits unused."""
        return -(-self.elements * dtype_bits(dtype) // 32)

    def transposed(self) -> BaseShape:
        """Return the shape of the transpose, whose other layout holds every element in the same place."""
        return BaseShape(self.cols, self.rows, self.stride)

    def _fits(self, layout: Layout) -> bool:
        line, along = (self.rows, self.cols) if layout == "row" else (self.cols, self.rows)
        return LANES % line == 0 and along % (self.stride * (LANES // line)) == 0

    def require(self, layout: Layout) -> None:
        """Raise UsageError unless the shape can be had in this layout."""
        if layout not in ("row", "col"):
            raise UsageError(f"no layout '{layout}'", hint="layouts: row, col")
        if not self._fits(layout):
            raise UsageError(f"{self.name} has no {layout} layout", hint=f"it has a {other_layout(layout)} layout")

    def group(self, layout: Layout) -> int:
        """Return G: the elements between a lane's run and its next, along a line."""
        return self.stride * (LANES // (self.rows if layout == "row" else self.cols))

    def lane_slot(self, layout: Layout, row: Index, col: Index) -> tuple[Index, Index]:
        """Return the lane that holds an element and the number of the element within the lane."""
        line, along, lines = (row, col, self.rows) if layout == "row" else (col, row, self.cols)
        group = self.group(layout)
        lane = line + lines * (along % group // self.stride)
        return lane, along // group * self.stride + along % self.stride

    def row_col(self, layout: Layout, lane: Index, slot: Index) -> tuple[Index, Index]:
        """Return the element that a lane holds at a slot."""
        lines = self.rows if layout == "row" else self.cols
        line = lane % lines
        along = self.stride * (lane // lines) + slot // self.stride * self.group(layout) + slot % self.stride
        return (line, along) if layout == "row" else (along, line)

    def place(self, layout: Layout, dtype: str, row: int, col: int) -> Place:
        """Return register, lane and first bit of an element."""
        lane, slot = self.lane_slot(layout, row, col)
        first = slot * dtype_bits(dtype)
        return Place(first // 32, lane, first % 32)

    def element(self, layout: Layout, dtype: str, place: Place) -> tuple[int, int] | None:
        """Return the element whose bits cover a place (its first register), or None where there is none."""
        slot = (place.register * 32 + place.bit) // dtype_bits(dtype)
        return self.row_col(layout, place.lane, slot) if slot < self.elements else None

    def map(self, layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the row and the column that every slot of every lane holds, each [slots, 64]."""
        slot, lane = np.meshgrid(np.arange(self.elements), np.arange(LANES), indexing="ij")
        return self.row_col(layout, lane.astype(np.int64), slot.astype(np.int64))


@dataclass(frozen=True)
class TileForm:
    """What a register tile is, without registers: dtype, size, shape and layout of its base tiles.

    Raises UsageError for a size that is no whole number of base tiles, or a layout that the shape has not.
    """

    dtype: str
    rows: int
    cols: int
    shape: BaseShape
    layout: Layout

    def __post_init__(self) -> None:
        dtype_bits(self.dtype)
        self.shape.require(self.layout)
        if self.rows < 1 or self.cols < 1 or self.rows % self.shape.rows or self.cols % self.shape.cols:
            raise UsageError(
                f"{self.rows}x{self.cols} is no whole number of {self.shape.name}",
                hint=f"rows by {self.shape.rows}, columns by {self.shape.cols}",
            )

    @property
    def height(self) -> int:
        """Return the number of base tiles from top to bottom."""
        return self.rows // self.shape.rows

    @property
    def width(self) -> int:
        """Return the number of base tiles from left to right."""
        return self.cols // self.shape.cols

    def __str__(self) -> str:
        return f"{self.shape.name} {self.layout} layout of {self.dtype}"


def default_stride(rows: int, cols: int) -> int:
    """Return the stride that a name without suffix means: HipKittens', elsewhere all elements of a lane in one run."""
    return _DEFAULT_STRIDE.get((rows, cols), max(rows * cols // LANES, 1))


def base_shape(name: str | BaseShape) -> BaseShape:
    """Return the shape called ``rt_16x32`` or ``rt_32x16_4`` (rows x columns _ stride).

    Raises UsageError for a word that is no such name, or a shape that 64 lanes cannot hold.
    """
    if isinstance(name, BaseShape):
        return name
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(
            f"no register tile shape '{name}'",
            hint=did_you_mean(name, HIPKITTENS_SHAPES) or "rt_ROWSxCOLS or rt_ROWSxCOLS_STRIDE",
        )
    rows, cols = int(match[1]), int(match[2])
    return BaseShape(rows, cols, int(match[3]) if match[3] else default_stride(rows, cols))


HIPKITTENS_SHAPES = (
    "rt_16x16", "rt_32x32", "rt_32x32_8", "rt_16x32", "rt_32x16", "rt_32x16_4", "rt_16x32_4", "rt_16x128",
)  # fmt: skip
"""The shapes of HipKittens (rt_shape.cuh)."""


# ---- operands of matrix instructions -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operand:
    """The register tile that an operand of a matrix instruction is.

    A is [m, k] in row layout, B [k, n] and C, D [m, n] in column layout. Several blocks are stacked along `stacked`
    (``row``, ``col``, or ``""`` for one block): block b starts at row (column) ``b * m`` (``b * n``). A sparse A has
    the columns that are stored, k / 2. Scales are e8m0, one for 32 elements of k: A's [m, k / 32], B's [k / 32, n].
    """

    mnemonic: str
    operand: str
    shape: BaseShape
    layout: Layout
    dtype: str
    blocks: int = 1
    stacked: str = ""

    @property
    def registers(self) -> int:
        """Return the registers of a lane."""
        return self.shape.registers(self.dtype)

    def element(self, row: Index, col: Index, block: Index) -> tuple[Index, Index]:
        """Return the row and column in the stacked tile of an element of a block."""
        block_rows, block_cols = self.block_size
        return row + block * block_rows * (self.stacked == "row"), col + block * block_cols * (self.stacked == "col")

    @property
    def block_size(self) -> tuple[int, int]:
        """Return the rows and columns of one block."""
        rows, cols = self.shape.rows, self.shape.cols
        return (
            rows // self.blocks if self.stacked == "row" else rows,
            cols // self.blocks if self.stacked == "col" else cols,
        )


def mfma_operand(instruction: str | MfmaSpec, operand: str, fmt: str | int | None = None) -> Operand:
    """Return the register tile of operand A, B, C, D, scale-A or scale-B; `fmt` is the format of an f8f6f4 operand.

    Raises UsageError for an operand that the instruction has not.
    """
    spec = mfma_spec(instruction) if isinstance(instruction, str) else instruction
    if operand.startswith("scale-"):
        return _scale(spec, operand)
    return _operand(spec, operand, spec.element_type(operand, fmt))


@cache
def _operand(spec: MfmaSpec, operand: str, dtype: str) -> Operand:
    known = mfma.operand_layout(spec, operand, dtype if dtype in F8F6F4_FORMATS and spec.selects_format else None)
    blocks, rows, cols = known.slot_of.shape
    layout: Layout = "row" if operand == "A" else "col"
    for stacked in ("",) if blocks == 1 else ("col", "row") if operand == "B" else ("row", "col"):
        row = known.row + known.block * rows * (stacked == "row")
        col = known.col + known.block * cols * (stacked == "col")
        extent = (rows * blocks if stacked == "row" else rows, cols * blocks if stacked == "col" else cols)
        for stride in (size for size in range(known.slots, 0, -1) if known.slots % size == 0):
            found = _shape_of(extent, stride, layout, row, col)
            if found is not None:
                return Operand(spec.mnemonic, operand, found, layout, dtype, blocks, stacked)
    raise UsageError(f"{spec.mnemonic}: operand {operand} is no register tile")


def _shape_of(
    extent: tuple[int, int], stride: int, layout: Layout, row: NDArray[np.int32], col: NDArray[np.int32]
) -> BaseShape | None:
    """Return the shape of this extent and stride if its map is the given one, else None."""
    try:
        shape = BaseShape(*extent, stride)
        shape.require(layout)
    except UsageError:
        return None
    rows, cols = shape.map(layout)
    return shape if np.array_equal(rows, row) and np.array_equal(cols, col) else None


@cache
def _scale(spec: MfmaSpec, operand: str) -> Operand:
    if not spec.scaled or operand not in ("scale-A", "scale-B"):
        raise UsageError(
            f"{spec.mnemonic}: no operand '{operand}'",
            hint="operands: A, B, C, D" + (", scale-A, scale-B" if spec.scaled else "; scales: v_mfma_scale_*"),
        )
    if operand == "scale-A":
        return Operand(spec.mnemonic, operand, BaseShape(spec.m, spec.k // 32, 1), "row", "e8m0")
    return Operand(spec.mnemonic, operand, BaseShape(spec.k // 32, spec.n, 1), "col", "e8m0")


# ---- whole tiles as arrays -----------------------------------------------------------------------------------------


def unpack_tile(words: Words, shape: BaseShape, layout: Layout, dtype: str) -> Codes:
    """Return the raw codes [..., rows, cols] of base tiles from their registers [..., registers, 64]."""
    elements = unpack_bits(np.moveaxis(words, -2, 0), dtype_bits(dtype))
    row, col = np.meshgrid(np.arange(shape.rows), np.arange(shape.cols), indexing="ij")
    lane, slot = shape.lane_slot(layout, row.astype(np.int64), col.astype(np.int64))
    return np.moveaxis(elements, 0, -2)[..., slot, lane]


def pack_tile(codes: Codes, shape: BaseShape, layout: Layout, dtype: str) -> Words:
    """Return the registers [..., registers, 64] of base tiles of raw codes [..., rows, cols]; unused bits are 0."""
    bits = dtype_bits(dtype)
    row, col = shape.map(layout)
    elements = np.moveaxis(codes[..., row, col], -2, 0)
    padding = -shape.elements % (32 // gcd(bits, 32))
    if padding:
        elements = np.concatenate((elements, np.zeros((padding, *elements.shape[1:]), elements.dtype)))
    return np.moveaxis(pack_bits(elements, bits)[: shape.registers(dtype)], 0, -2)
