"""How LDS instructions move a register tile from or to a shared tile: lane addresses, registers, legality.

Everything follows from two maps: where a lane's slot is an element of the matrix (`hkasm.tiles.layout`), and where that
element lies in LDS (`hkasm.tiles.shared`). An instruction is legal for a pair of tiles when what it moves for a lane
lies side by side in LDS, aligned to its size; a transposing read gathers, for 16 lanes at once, runs that lie across
lanes. Nothing here knows a tile by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hkasm.errors import UsageError
from hkasm.isa.spec import VARIANTS
from hkasm.tiles.layout import LANES, TileForm, dtype_bits
from hkasm.tiles.shared import SharedTile

__all__ = ["LDS_READS", "LDS_WRITES", "LdsAccess", "LdsInstruction", "lds_accesses", "legal_instructions"]

Table = NDArray[np.int64]
GROUP = 16
"""Lanes that exchange elements in a transposing read."""


@dataclass(frozen=True)
class LdsInstruction:
    """An LDS instruction as tiles see it: registers a lane, and how they are found.

    `pair` instructions move two runs of `dwords / 2` with one address each, `unit` bytes a step of their offsets.
    `transpose` is the size of the elements that are exchanged, in bits; `element` that of an access below a dword.
    """

    mnemonic: str
    dwords: int
    align: int
    pair: bool = False
    unit: int = 0
    transpose: int = 0
    element: int = 0


def _table(*rows: LdsInstruction) -> dict[str, LdsInstruction]:
    return {row.mnemonic: row for row in rows}


LDS_READS = _table(
    LdsInstruction("ds_read_b128", 4, 16),
    LdsInstruction("ds_read_b96", 3, 4),
    LdsInstruction("ds_read_b64", 2, 8),
    LdsInstruction("ds_read_b64_tr_b16", 2, 8, transpose=16),
    LdsInstruction("ds_read_b64_tr_b8", 2, 8, transpose=8),
    LdsInstruction("ds_read_b96_tr_b6", 3, 16, transpose=6),
    LdsInstruction("ds_read_b64_tr_b4", 2, 8, transpose=4),
    LdsInstruction("ds_read2_b64", 4, 8, pair=True, unit=8),
    LdsInstruction("ds_read2st64_b64", 4, 8, pair=True, unit=512),
    LdsInstruction("ds_read2_b32", 2, 4, pair=True, unit=4),
    LdsInstruction("ds_read2st64_b32", 2, 4, pair=True, unit=256),
    LdsInstruction("ds_read_b32", 1, 4),
    LdsInstruction("ds_read_u16", 1, 2, element=16),
    LdsInstruction("ds_read_u8", 1, 1, element=8),
)
"""Reads, widest first."""
LDS_WRITES = _table(
    LdsInstruction("ds_write_b128", 4, 16),
    LdsInstruction("ds_write_b96", 3, 4),
    LdsInstruction("ds_write_b64", 2, 8),
    LdsInstruction("ds_write2_b64", 4, 8, pair=True, unit=8),
    LdsInstruction("ds_write2st64_b64", 4, 8, pair=True, unit=512),
    LdsInstruction("ds_write2_b32", 2, 4, pair=True, unit=4),
    LdsInstruction("ds_write2st64_b32", 2, 4, pair=True, unit=256),
    LdsInstruction("ds_write_b32", 1, 4),
    LdsInstruction("ds_write_b16", 1, 2, element=16),
    LdsInstruction("ds_write_b8", 1, 1, element=8),
)
"""Writes, widest first."""


@dataclass(frozen=True, eq=False)
class LdsAccess:
    """One instruction of a tile's move: registers ``[first, first + count)`` of base tile (i, j), and lane addresses.

    `address` is [64], in bytes from the start of the shared tile's buffer; `second` the other one of a pair
    instruction. An access below a dword moves the bits of its register from `bit` on.
    """

    instruction: str
    i: int
    j: int
    first: int
    count: int
    address: Table
    second: Table | None = None
    bit: int = 0


def lds_accesses(shared: SharedTile, form: TileForm, instruction: str) -> tuple[LdsAccess, ...]:
    """Return the accesses that move a whole register tile by one instruction, base tile by base tile, slots in order.

    Raises UsageError for tiles of different size, and where the instruction is not legal for them.
    """
    found = LDS_READS.get(instruction) or LDS_WRITES.get(instruction)
    if found is None:
        raise UsageError(f"{instruction} moves no tile", hint=f"instructions: {', '.join([*LDS_READS, *LDS_WRITES])}")
    _check_sizes(shared, form)
    accesses = _accesses(shared, form, found)
    if isinstance(accesses, str):
        table = LDS_READS if instruction in LDS_READS else LDS_WRITES
        legal = [name for name, one in table.items() if not isinstance(_accesses(shared, form, one), str)]
        raise UsageError(
            f"{instruction}: {form} in {shared.shape.name}: {accesses}",
            hint=f"legal: {', '.join(legal)}" if legal else "no single instruction moves this tile",
        )
    return accesses


def legal_instructions(arch: str, shared: SharedTile, form: TileForm, *, write: bool = False) -> tuple[str, ...]:
    """Return the instructions of a chip that move the whole register tile, widest first."""
    _check_sizes(shared, form)
    table = LDS_WRITES if write else LDS_READS
    return tuple(
        name
        for name, one in table.items()
        if any(arch in spec.archs for spec in VARIANTS[name]) and not isinstance(_accesses(shared, form, one), str)
    )


def _check_sizes(shared: SharedTile, form: TileForm) -> None:
    if (shared.rows, shared.cols) != (form.rows, form.cols):
        raise UsageError(
            f"{shared.name} is {shared.rows}x{shared.cols}, the register tile {form.rows}x{form.cols}",
            hint="take a view of the larger one",
        )
    if shared.shape.bits != dtype_bits(form.dtype):
        raise UsageError(
            f"{shared.name} holds {shared.dtype} ({shared.shape.bits} bits), the register tile {form.dtype}",
            hint="convert in registers, or view the bytes with as_dtype",
        )


def element_bits(shared: SharedTile, form: TileForm) -> Table:
    """Return the bit of LDS, from the buffer's start, of every element: [height, width, slots, 64]."""
    row, col = form.shape.map(form.layout)
    down = np.arange(form.height, dtype=np.int64)[:, None, None, None] * form.shape.rows
    across = np.arange(form.width, dtype=np.int64)[None, :, None, None] * form.shape.cols
    rows, cols = np.broadcast_arrays(row + down, col + across)
    return shared.bit(rows, cols)


def _accesses(shared: SharedTile, form: TileForm, one: LdsInstruction) -> tuple[LdsAccess, ...] | str:
    """Return the accesses, or why there are none."""
    bits = element_bits(shared, form)
    if one.element:
        return _below_a_dword(bits, form, one)
    width = dtype_bits(form.dtype)
    registers = form.shape.registers(form.dtype)
    if form.shape.elements * width != registers * 32:
        return "its elements do not fill whole registers"
    if registers % one.dwords:
        return f"a base tile of {registers} registers is no whole number of {one.dwords}"
    if one.transpose:
        return _transposing(bits, form, one)
    return _plain(bits, form, one)


def _plain(bits: Table, form: TileForm, one: LdsInstruction) -> tuple[LdsAccess, ...] | str:
    width = dtype_bits(form.dtype)
    slots = form.shape.elements
    start = bits - np.arange(slots, dtype=np.int64)[:, None] * width  # of register 0, were all side by side
    dwords = one.dwords // 2 if one.pair else one.dwords
    runs = []
    for first in range(0, form.shape.registers(form.dtype), dwords):
        low, high = 32 * first // width, -(-32 * (first + dwords) // width)
        if (start[:, :, low:high] != start[:, :, low : low + 1]).any():
            return f"{dwords * 4} bytes of a lane are not side by side in LDS"
        run = start[:, :, low] + 32 * first
        if (run % (8 * one.align)).any():
            return f"its runs do not start at multiples of {one.align} bytes"
        runs.append(run // 8)
    if not one.pair:
        return tuple(
            LdsAccess(one.mnemonic, i, j, dwords * number, dwords, run[i, j])
            for i in range(form.height)
            for j in range(form.width)
            for number, run in enumerate(runs)
        )
    accesses = []
    for i in range(form.height):
        for j in range(form.width):
            for number in range(0, len(runs), 2):
                first, second = runs[number][i, j], runs[number + 1][i, j]
                apart = second - first
                if (apart != apart[0]).any() or apart[0] % one.unit or not 0 < abs(apart[0]) <= 255 * one.unit:
                    return f"its runs are not a constant number of {one.unit} bytes apart, 255 at most"
                accesses.append(LdsAccess(one.mnemonic, i, j, number * dwords, one.dwords, first, second))
    return tuple(accesses)


def _transposing(bits: Table, form: TileForm, one: LdsInstruction) -> tuple[LdsAccess, ...] | str:
    """Element j of lane i of 16 comes from lane ``16 / E * j + i // E``, its element ``i % E``; E elements a lane."""
    width = dtype_bits(form.dtype)
    if width != one.transpose:
        return f"it exchanges elements of {one.transpose} bits, these have {width}"
    count = one.dwords * 32 // width
    step = GROUP // count
    lane = np.arange(LANES)
    source = lane % GROUP
    runs = []
    for first in range(0, form.shape.elements, count):
        held = bits[:, :, first + source // step, :]  # [height, width, 64 sources, 64 lanes]
        target = lane // GROUP * GROUP + source % step * count
        run = held[:, :, lane, target]
        for place in range(1, count):
            if (held[:, :, lane, target + place] != run + place * width).any():
                return f"{count} lanes side by side do not hold neighbours in LDS"
        if (run % (8 * one.align)).any():
            return f"its runs do not start at multiples of {one.align} bytes"
        runs.append((first * width // 32, run // 8))
    return tuple(
        LdsAccess(one.mnemonic, i, j, first, one.dwords, run[i, j])
        for i in range(form.height)
        for j in range(form.width)
        for first, run in runs
    )


def _below_a_dword(bits: Table, form: TileForm, one: LdsInstruction) -> tuple[LdsAccess, ...] | str:
    width = dtype_bits(form.dtype)
    if width != one.element:
        return f"it moves {one.element} bits, elements have {width}"
    return tuple(
        LdsAccess(one.mnemonic, i, j, slot * width // 32, 1, bits[i, j, slot] // 8, bit=slot * width % 32)
        for i in range(form.height)
        for j in range(form.width)
        for slot in range(form.shape.elements)
    )
