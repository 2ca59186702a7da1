"""Which lane and register of a matrix instruction holds which element, and fast moves between the two views.

One `Plan` a layout names the axes that a register slot and a lane number split into, and how rows, columns and
blocks are put together from them; index arrays and array transposes both follow from it, so they cannot disagree.

Sources: AMD's matrix instruction calculator for CDNA3 (every shape); for gfx950's new shapes the same formulas, k
contiguous within a lane, save that 8-bit f8f6f4 operands come in chunks of 16 elements a lane group (AMD's CDNA4 matrix
core blog; scaled GEMMs compiled by Triton are right only so, see tests/emulator), and 6-bit ones as AMD's own test
holds them (composable_kernel, test/mx_mfma_op; see tests/tiles). SMFMAC of gfx950: A as on CDNA3; B, where a lane holds
32 bytes, in chunks of 16 a lane group too (AITER's attention over 8 bits sums rows by one of them and is right only so;
hipBLASLt's generator reads B from LDS by 16 bytes a lane group, whatever the type).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.errors import UsageError
from hkasm.isa.mfma.scratch import scratch
from hkasm.isa.mfma.table import TYPE_BITS, MfmaSpec
from hkasm.isa.numerics import decode, format_of, pack_bits, unpack_bits

__all__ = [
    "OperandLayout",
    "block_sources",
    "gather_operand",
    "gather_raw",
    "gather_scales",
    "operand_layout",
    "permute_lanes",
    "result_view",
    "scatter_result",
    "sparse_columns",
]

Array = NDArray[Any]
Words = NDArray[np.uint32]
LANES = 64


@dataclass(frozen=True)
class Plan:
    """Say how slot and lane numbers split into named axes (outermost first) and how these make up the matrix index."""

    slot: tuple[tuple[str, int], ...]
    lane: tuple[tuple[str, int], ...]
    block: str
    row: str
    col: str

    @property
    def sizes(self) -> dict[str, int]:
        """Return the length of every axis."""
        return dict(self.slot + self.lane)

    def length(self, axes: str) -> int:
        """Return the product of the lengths of some axes."""
        return prod(self.sizes[axis] for axis in axes)

    def order(self, target: str) -> tuple[int, ...]:
        """Return the transpose from (slot axes, waves, lane axes) to `target`, in which `w` stands for waves."""
        source = "".join(axis for axis, _ in self.slot) + "w" + "".join(axis for axis, _ in self.lane)
        return tuple(source.index(axis) for axis in target)


@dataclass(frozen=True, eq=False)
class OperandLayout:
    """Map (slot, lane) to (block, row, col) and back, for one operand of one instruction.

    A slot is the number of an element inside a lane: it starts at bit `slot * bits` of the lane's registers taken as
    one little-endian number (6-bit elements cross registers). A is [row, k], B is [k, col], C and D are [row, col].
    `row`, `col`, `block` are [slots, 64]; `slot_of`, `lane_of` are [blocks, rows, cols]; all int32 and read-only.
    For a sparse A the columns count stored elements (k / 2).
    """

    operand: str
    bits: int
    plan: Plan
    row: NDArray[np.int32]
    col: NDArray[np.int32]
    block: NDArray[np.int32]
    slot_of: NDArray[np.int32]
    lane_of: NDArray[np.int32]

    @property
    def slots(self) -> int:
        """Return the number of elements a lane holds."""
        return int(self.row.shape[0])

    @property
    def registers(self) -> int:
        """Return the number of 32-bit registers."""
        return self.slots * self.bits // 32

    def place(self, slot: int) -> tuple[int, int, int]:
        """Return (register, first bit, last bit) of a slot; the last bit is over 31 where it runs into the next."""
        first = slot * self.bits
        return first // 32, first % 32, first % 32 + self.bits - 1


@cache
def _plan(spec: MfmaSpec, operand: str, element: str) -> Plan:
    """Return the axes of an operand.

    A and B: lane = (block b, k group g, row or column r), slot = (chunk c, element e in the chunk); k = (c, g, e).
    C and D: lane = (row group g, column r), slot = (block b, q, i); row = (q, g, i): 8*q + 4*g + i for 32 rows,
    4*g + i for 16, i for 4. f64 goes its own way: rows are (i, g), and the lanes of 4x4x4 are (g, b, r).
    """
    line = spec.m if operand in ("A", "C", "D") else spec.n
    groups = LANES // (line * spec.blocks) if line * spec.blocks < LANES else 1
    four_blocks_f64 = spec.c_type == "f64" and spec.blocks == 4
    if operand in ("A", "B"):
        length = spec.stored_k if operand == "A" else spec.k
        chunk = length // groups
        if (spec.selects_format and TYPE_BITS[element] == 8) or (spec.sparse and operand == "B"):
            chunk = min(chunk, 16 * 8 // TYPE_BITS[element])
        slot = (("c", length // (groups * chunk)), ("e", chunk))
        lane = (("b", spec.blocks), ("g", groups), ("r", line))
        if four_blocks_f64:
            lane = (("g", groups), ("b", spec.blocks), ("r", line))
        return Plan(slot, lane, "b", "r", "cge") if operand == "A" else Plan(slot, lane, "b", "cge", "r")
    columns = ("r", spec.n)
    if four_blocks_f64:
        return Plan((("i", 1),), (("g", 4), ("b", 4), columns), "b", "ig", "r")
    if spec.n == 4:
        return Plan((("i", 4),), (("b", spec.blocks), columns), "b", "i", "r")
    row_groups = LANES // spec.n
    inner = spec.m // row_groups
    if spec.c_type == "f64":
        return Plan((("b", 1), ("i", inner)), (("g", row_groups), columns), "b", "ig", "r")
    slot_axes = (("b", spec.blocks), ("q", inner // 4), ("i", 4))
    return Plan(slot_axes, (("g", row_groups), columns), "b", "qgi", "r")


@cache
def _layout(spec: MfmaSpec, operand: str, element: str) -> OperandLayout:
    plan = _plan(spec, operand, element)
    sizes = plan.sizes
    slots = prod(size for _, size in plan.slot)
    number = {axis: np.empty(0, np.int32) for axis in sizes}
    for axes, count, shape in ((plan.slot, slots, (-1, 1)), (plan.lane, LANES, (1, -1))):
        coordinates = np.unravel_index(np.arange(count), tuple(size for _, size in axes))
        for (axis, _), values in zip(axes, coordinates, strict=True):
            number[axis] = values.astype(np.int32).reshape(shape)

    def joined(axes: str) -> NDArray[np.int32]:
        value = np.zeros((slots, LANES), dtype=np.int32)
        for axis in axes:
            value = value * sizes[axis] + number[axis]
        return value.astype(np.int32)

    block, row, col = joined(plan.block), joined(plan.row), joined(plan.col)
    extent = (plan.length(plan.block), plan.length(plan.row), plan.length(plan.col))
    slot_of, lane_of = np.full(extent, -1, np.int32), np.full(extent, -1, np.int32)
    slot_of[block, row, col] = np.arange(slots, dtype=np.int32)[:, None]
    lane_of[block, row, col] = np.arange(LANES, dtype=np.int32)[None, :]
    for array in (block, row, col, slot_of, lane_of):
        array.flags.writeable = False
    return OperandLayout(operand, TYPE_BITS[element], plan, row, col, block, slot_of, lane_of)


def operand_layout(spec: MfmaSpec, operand: str, fmt: int | str | None = None) -> OperandLayout:
    """Return the layout of operand `A`, `B`, `C` or `D`; `fmt` is cbsz or blgp (or its name) for f8f6f4."""
    return _layout(spec, operand, spec.element_type(operand, fmt))


# ---- lane permutations -----------------------------------------------------------------------------------------


@cache
def _broadcast_lanes(spec: MfmaSpec, operand: str, cbsz: int, abid: int, blgp: int) -> NDArray[np.intp] | None:
    """Return the source lane of every lane under cbsz/abid (A) or blgp (B), None where nothing moves.

    Source: AMD's matrix instruction calculator, CDNA3. cbsz: in every group of 2**cbsz blocks, block abid is used for
    all. blgp 1: lanes 0-31 twice, 2: lanes 32-63 twice, 3: rotated by 16, 4-7: 16 lanes from 16*(blgp-4) four times.
    """
    lane = np.arange(LANES)
    if operand == "A":
        if cbsz == 0 or spec.blocks == 1:
            return None
        if 1 << cbsz > spec.blocks or abid >= 1 << cbsz:
            raise UsageError(
                f"{spec.mnemonic}: cbsz {cbsz}, abid {abid} with {spec.blocks} blocks",
                hint="2**cbsz is at most the number of blocks, abid is below 2**cbsz",
            )
        width = LANES // spec.blocks
        group = width << cbsz
        return lane // group * group + abid * width + lane % width
    if blgp == 0:
        return None
    if blgp < 3:
        return lane % 32 + 32 * (blgp - 1)
    return (lane + 16) % LANES if blgp == 3 else lane % 16 + 16 * (blgp - 4)


def permute_lanes(spec: MfmaSpec, operand: str, words: Words, *, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Words:
    """Apply the broadcast controls to registers [..., 64] of operand `A` (cbsz, abid) or `B` (blgp).

    Nothing moves where these fields mean something else: f8f6f4 (formats), f64 (signs), SMFMAC (index set).
    """
    if spec.selects_format or spec.sparse or spec.c_type == "f64":
        return words
    source = _broadcast_lanes(spec, operand, cbsz, abid, blgp)
    return words if source is None else words[..., source]


@cache
def block_sources(spec: MfmaSpec, operand: str) -> dict[tuple[int, ...], dict[str, int]]:
    """Return which blocks of `A` or `B` an instruction can take, block by block, and the controls that say so.

    Key ``(1, 1, 1, 1)`` with ``{"cbsz": 2, "abid": 1}``: block 1 of A stands for all four. Lane moves that tear blocks
    apart are not among them.
    """
    if operand not in ("A", "B"):
        raise UsageError(f"{spec.mnemonic}: no blocks of operand '{operand}' to choose", hint="operands: A, B")
    controls: list[dict[str, int]] = [{}]
    if operand == "A":
        sizes = range(1, spec.blocks.bit_length())
        controls += [{"cbsz": cbsz, "abid": abid} for cbsz in sizes for abid in range(1 << cbsz)]
    else:
        controls += [{"blgp": blgp} for blgp in range(1, 8)]
    lane = np.arange(LANES, dtype=np.uint32)
    width = LANES // spec.blocks
    found: dict[tuple[int, ...], dict[str, int]] = {}
    for control in controls:
        blocks, within = np.divmod(permute_lanes(spec, operand, lane, **control).reshape(spec.blocks, width), width)
        if (blocks == blocks[:, :1]).all() and (within == np.arange(width)).all():
            found.setdefault(tuple(blocks[:, 0].tolist()), control)
    return found


# ---- registers to matrices and back ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Route:
    """The way of an operand's elements from registers to a matrix: shapes round the wave axis, and the transpose."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    order: tuple[int, ...]
    matrix: tuple[int, int, int]


@cache
def _input_route(spec: MfmaSpec, operand: str, element: str) -> _Route:
    """Route A or B: (chunk, element group, waves, lane axes, element in register) to (waves, block, k, line)."""
    plan = _plan(spec, operand, element)
    sizes = plan.sizes
    inside = max(32 // TYPE_BITS[element], 1) if 32 % TYPE_BITS[element] == 0 else 1
    names = "cew" + "".join(axis for axis, _ in plan.lane) + "h"
    return _Route(
        before=(sizes["c"], sizes["e"] // inside),
        after=(*(size for _, size in plan.lane), inside),
        order=tuple(names.index(axis) for axis in "wbcgehr"),
        matrix=(sizes["b"], plan.length("cge"), sizes["r"]),
    )


def _input_matrix(spec: MfmaSpec, operand: str, regs: Words, element: str) -> Array:
    """Return raw codes of A or B as a contiguous [waves, blocks, k, line]."""
    route = _input_route(spec, operand, element)
    bits = TYPE_BITS[element]
    if regs.strides[-1] != 4:
        regs = np.ascontiguousarray(regs)
    if bits in (8, 16, 32):
        codes: Array = regs.view(_CODE_TYPES[bits])
    elif bits == 4:
        octets = regs.view(np.uint8)
        codes = np.stack((octets & np.uint8(15), octets >> np.uint8(4)), axis=-1)
    else:
        codes = unpack_bits(regs, bits)
    waves = regs.shape[1]
    split = codes.reshape(*route.before, waves, *route.after).transpose(route.order)
    return np.ascontiguousarray(split).reshape(waves, *route.matrix)


_CODE_TYPES = {8: np.uint8, 16: np.uint16, 32: np.uint32}


def _check_registers(spec: MfmaSpec, operand: str, regs: Words, fmt: int | str | None) -> None:
    wanted = spec.registers(operand, fmt)
    if regs.shape[0] != wanted:
        raise UsageError(f"{spec.mnemonic}: operand {operand} wants {wanted} registers, got {regs.shape[0]}")


def gather_raw(spec: MfmaSpec, operand: str, regs: Words, fmt: int | str | None = None) -> Array:
    """Return the raw element codes of an operand's registers [registers, waves, 64] as [waves, blocks, rows, cols]."""
    _check_registers(spec, operand, regs, fmt)
    if operand in ("C", "D"):
        elements = unpack_bits(regs, 64) if spec.c_type == "f64" else regs
        view = result_view(spec, elements)
        return np.ascontiguousarray(view).reshape(view.shape[0], view.shape[1], spec.m, spec.n)
    matrix = _input_matrix(spec, operand, regs, spec.element_type(operand, fmt))
    return matrix.swapaxes(-1, -2) if operand == "A" else matrix


def gather_operand(
    spec: MfmaSpec, operand: str, regs: Words, fmt: int | str | None = None, *, arch: str = "gfx950"
) -> Array:
    """Return the values of an operand's registers [registers, waves, 64] as [waves, blocks, rows, cols].

    A is [.., m, k] (stored elements of a sparse A), B [.., k, n], C and D [.., m, n]. Float inputs come as float64,
    i8 as int8; f32 accumulators as float32, i32 as int32. `arch` chooses the kind of fp8. xf32 inputs drop the 13
    low bits of the fraction, as CDNA3 does (MMA-Sim). Broadcast controls are `permute_lanes`'s, before this.
    """
    element = spec.element_type(operand, fmt)
    if operand in ("C", "D"):
        return gather_raw(spec, operand, regs).view(_RESULT_TYPES[element])
    _check_registers(spec, operand, regs, fmt)
    return gather_into(None, spec, operand, regs, element, arch)


def gather_into(purpose: str | None, spec: MfmaSpec, operand: str, regs: Words, element: str, arch: str) -> Array:
    """Do `gather_operand` for A or B with its element type known; with a `purpose` the result may lie in scratch."""
    raw = _wide_bf16(spec, operand, regs) if element == "bf16" else _input_matrix(spec, operand, regs, element)
    if element == "i8":
        matrix: Array = raw.view(np.int8)
    elif element == "f64":
        matrix = raw.view(np.float64)
    else:
        matrix = scratch(purpose, raw.shape, np.float64) if purpose else np.empty(raw.shape)
        _decode_floats(element, raw, arch, matrix)
    return matrix.swapaxes(-1, -2) if operand == "A" else matrix


_RESULT_TYPES: dict[str, Any] = {"f32": np.float32, "i32": np.int32, "f64": np.float64}


def _wide_bf16(spec: MfmaSpec, operand: str, regs: Words) -> Array:
    """Gather bfloat16 operands already widened, in scratch: codes go to the high halves of dwords that are zero."""
    route = _input_route(spec, operand, "bf16")
    if regs.strides[-1] != 4:
        regs = np.ascontiguousarray(regs)
    waves = regs.shape[1]
    split = regs.view(np.uint16).reshape(*route.before, waves, *route.after).transpose(route.order)
    wide = scratch("wide", (*split.shape, 2), np.uint16)
    wide[..., 1] = split
    return wide.view(np.uint32).reshape(waves, *route.matrix)


def _decode_floats(element: str, raw: Array, arch: str, out: Array) -> None:
    """Write the values of contiguous raw codes to a float64 array of the same shape."""
    with np.errstate(invalid="ignore"):  # a signalling NaN
        if element in ("bf16", "f32"):
            out[...] = raw.view(np.float32)
        elif element == "f16":
            out[...] = raw.view(np.float16).astype(np.float32)
        elif element == "xf32":
            out[...] = (raw & np.uint32(0xFFFFE000)).view(np.float32)
        else:
            np.take(_value_table(element, arch), raw, out=out, mode="clip")


@cache
def _value_table(element: str, arch: str) -> Array:
    fmt = format_of(element, arch)
    return decode(np.arange(1 << fmt.bits, dtype=fmt.dtype), fmt, np.float64)


@cache
def _result_route(spec: MfmaSpec) -> _Route:
    """Route D: (slot axes, waves, lane axes) seen as (waves, block, row axes, column)."""
    plan = operand_layout(spec, "D").plan
    return _Route(
        before=tuple(size for _, size in plan.slot),
        after=tuple(size for _, size in plan.lane),
        order=plan.order("w" + plan.block + plan.row + plan.col),
        matrix=(spec.blocks, spec.m, spec.n),
    )


def result_view(spec: MfmaSpec, elements: Array) -> Array:
    """View accumulator elements [slots, waves, 64] as [waves, blocks, row axes ..., n], without a copy."""
    route = _result_route(spec)
    return elements.reshape(*route.before, elements.shape[1], *route.after).transpose(route.order)


def scatter_result(spec: MfmaSpec, matrix: Array) -> Words:
    """Return accumulator registers [registers, waves, 64] uint32 of D [waves, blocks, m, n] (f32, i32 or f64)."""
    elements = np.empty((operand_layout(spec, "D").slots, len(matrix), LANES), dtype=_RESULT_TYPES[spec.c_type])
    view = result_view(spec, elements)
    view[...] = matrix.reshape(view.shape)
    return pack_bits(elements.view(np.uint64), 64) if spec.c_type == "f64" else elements.view(np.uint32)


# ---- sparse index and scales -----------------------------------------------------------------------------------


def sparse_columns(spec: MfmaSpec, index: Words, *, cbsz: int = 0, abid: int = 0) -> NDArray[np.intp]:
    """Return the k of every stored element of a sparse A, [waves, m, k / 2], from the index register [waves, 64].

    Two bits an element name its place among four: k = 4 * (stored column // 2) + bits. A lane's elements take 2 bits
    each from its own index register; where that leaves several sets, abid names one (0 if cbsz is not 0). Source:
    AMD's matrix instruction calculator, CDNA3 ISA 7.4.
    """
    layout = operand_layout(spec, "A")
    bits = 2 * layout.slots
    chosen = 0 if cbsz else abid % (32 // bits)
    offset = chosen * bits + 2 * np.arange(layout.slots)
    codes = (index[None, :, :] >> offset.astype(np.uint32)[:, None, None]) & np.uint32(3)
    place = codes.transpose(1, 0, 2)[:, layout.slot_of[0], layout.lane_of[0]].astype(np.intp)
    return place + 4 * (np.arange(spec.stored_k) // 2)


def gather_scales(spec: MfmaSpec, operand: str, scale: Words, byte: int = 0) -> NDArray[np.uint8]:
    """Return the E8M0 codes of operand `A` [waves, m, k / 32] or `B` [waves, k / 32, n] from a register [waves, 64].

    Lane line + lines * block holds the scale of a row (column) and block of 32 k; `byte` is the byte of the register
    that {op_sel_hi, op_sel} names. For 8-bit formats, whose block of 32 k is spread over two lane groups, the rule is
    the same. Source: a production fp4 GEMM and Triton's scaled e4m3 and e5m2 by e2m1 GEMMs, right only so.
    """
    lines = spec.m if operand == "A" else spec.n
    codes = (scale >> np.uint32(8 * byte)).astype(np.uint8)
    by_block = codes.reshape(-1, LANES // lines, lines)[:, : spec.k // 32]
    return by_block.swapaxes(1, 2) if operand == "A" else by_block
