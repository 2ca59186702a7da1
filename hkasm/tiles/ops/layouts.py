"""Other layouts of the same elements: by renaming, by exchanging rows of lanes, or through LDS.

A transpose is a name (`RegTile.transposed`, no instruction). Two tiles of one dtype hold an element in lane and slot
numbers that consist of the bits of its row and column; where the two differ by exchanges of lane bit 5 or 4 with bits
of the register's number, gfx950's `v_permlane32_swap` and `v_permlane16_swap` do it in place, half an instruction a
register and exchange. So an accumulator of stride 4 becomes an operand of stride 8, and f32 accumulators the runs of
32 that 6-bit operands are converted from. What moves is whole registers: three of 16 elements for 6 bits, two of one
for f64. Every other change goes through LDS.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import gcd

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.tiles.layout import BaseShape, Layout, dtype_bits
from hkasm.tiles.ops.common import describe, refuse, require_vgprs
from hkasm.tiles.ops.fill import copy
from hkasm.tiles.ops.shared_moves import load_shared, store_shared
from hkasm.tiles.register import RegTile
from hkasm.tiles.shared import SharedTile

LANE_BITS = 6
SWAPPED = (5, 4)
"""Lane bits that gfx950 exchanges with a bit of the register's number."""
Bits = tuple[int, ...]


@cache
def _places(rows: int, cols: int, shape: BaseShape, layout: Layout, bits: int) -> tuple[Bits, Bits, Bits] | None:
    """Return what each bit of lane, place in a unit of registers, and unit number means: a bit of row * cols + column.

    None for sizes that are no powers of two, and elements that fill no unit.
    """
    across = cols // shape.cols
    inside = _elements_of_unit(bits)
    slots = shape.elements
    if slots % inside or any(size & (size - 1) for size in (rows, cols, shape.rows, shape.cols, shape.stride)):
        return None

    def element(lane: int, slot: int) -> int:
        number, own = divmod(slot, slots)
        row, col = shape.row_col(layout, lane, own)
        return (number // across * shape.rows + row) * cols + number % across * shape.cols + col

    count = slots * (rows // shape.rows) * across
    lane_bits = tuple(element(1 << bit, 0) for bit in range(LANE_BITS))
    slot_bits = tuple(element(0, 1 << bit) for bit in range(count.bit_length() - 1))
    low = inside.bit_length() - 1
    return lane_bits, slot_bits[:low], slot_bits[low:]


def _elements_of_unit(bits: int) -> int:
    """Return how many elements fill whole registers."""
    return 32 // gcd(bits, 32)


def _units(tile: RegTile) -> list[tuple[Register, ...]]:
    """Return a tile's registers in the least groups that hold whole elements."""
    width = _elements_of_unit(tile.bits) * tile.bits // 32
    return [tile.registers[first : first + width] for first in range(0, len(tile.registers), width)]


def exchanges(d: RegTile, s: RegTile) -> tuple[tuple[int, int], ...] | None:
    """Return the (lane bit, unit bit) exchanges that turn the registers of `s` into those of `d`, or None.

    Units of registers then stand in the order that `order` gives. Exchanges are in place and in order.
    """
    found = _plan(d, s)
    return found[0] if found else None


def _plan(d: RegTile, s: RegTile) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]] | None:
    bits = dtype_bits(s.dtype)
    if (s.rows, s.cols, s.dtype) != (d.rows, d.cols, d.dtype):
        return None
    before = _places(s.rows, s.cols, s.shape, s.layout, bits)
    after = _places(d.rows, d.cols, d.shape, d.layout, bits)
    if before is None or after is None or before[1] != after[1]:
        return None
    if any(before[0][bit] != after[0][bit] for bit in range(LANE_BITS) if bit not in SWAPPED):
        return None
    lane, register = list(before[0]), list(before[2])
    steps = []
    # Lane bit 5 may get its meaning from lane bit 4 by way of a register bit: at most three exchanges.
    for _ in range(3):
        for bit in SWAPPED:
            if lane[bit] == after[0][bit]:
                continue
            if after[0][bit] in register:
                place = register.index(after[0][bit])
            elif register:
                place = 0  # what is wanted is in the other lane bit; bring that into a register first
            else:
                return None
            steps.append((bit, place))
            lane[bit], register[place] = register[place], lane[bit]
    if tuple(lane) != after[0] or sorted(register) != sorted(after[2]):
        return None
    return tuple(steps), tuple(register.index(meaning) for meaning in after[2])


def order(d: RegTile, s: RegTile) -> tuple[int, ...] | None:
    """Return which unit of registers of `s` (after the exchanges) is each of `d`, or None without exchanges."""
    found = _plan(d, s)
    if found is None:
        return None
    bits = found[1]
    count = len(_units(s))
    return tuple(sum((number >> bit & 1) << bits[bit] for bit in range(len(bits))) for number in range(count))


def swap_layout(k: Builder, d: RegTile, s: RegTile, through: SharedTile | None = None) -> None:
    """Give the elements of `s` the shape and layout of `d`; both have one size and dtype.

    In registers where gfx950's row swaps can (`s` is overwritten, or is `d` where registers keep their order); else
    through `through`, LDS of the tile's size and dtype that this wave has for itself: written, then read. The caller
    waits for `d`. Where nothing differs it is a copy.

    Raises:
        UsageError: tiles of different size or dtype, or no way without LDS and none given.
    """
    if (d.rows, d.cols, d.dtype) != (s.rows, s.cols, s.dtype):
        raise refuse("swap_layout", f"{d.name} is {describe(d)}, {s.name} {describe(s)}", "one size and dtype")
    if (d.shape, d.layout) == (s.shape, s.layout):
        copy(k, d, s)
        return
    steps, places = exchanges(d, s), order(d, s)
    if steps is not None and places is not None and (not steps or k.arch.name == "gfx950"):
        require_vgprs("swap_layout", d, s)
        _exchange(k, _units(s), steps)
        _rename(k, d, s, places)
        return
    if through is None:
        ways = "through= LDS" if k.arch.name == "gfx950" else "through= LDS (only gfx950 exchanges rows of lanes)"
        raise refuse("swap_layout", f"{describe(s)} to {d.shape.name}, {d.layout} layout, in registers alone", ways)
    store_shared(k, through, s)
    load_shared(k, d, through)


def _exchange(k: Builder, units: Sequence[Sequence[Register]], steps: Sequence[tuple[int, int]]) -> None:
    for lane_bit, unit_bit in steps:
        swap = k.v_permlane32_swap_b32 if lane_bit == 5 else k.v_permlane16_swap_b32
        for number, unit in enumerate(units):
            if not number >> unit_bit & 1:
                for low, high in zip(unit, units[number | 1 << unit_bit], strict=True):
                    swap(low, high)


def _rename(k: Builder, d: RegTile, s: RegTile, places: Sequence[int]) -> None:
    """Move registers to where the target has them, unless they are there. Raises UsageError where that would
    overlap."""
    units = _units(s)
    sources = [register for place in places for register in units[place]]
    moves = [(to, source) for to, source in zip(d.registers, sources, strict=True) if to != source]
    taken = {to for to, _ in moves}
    if any(source in taken for _, source in moves):
        raise refuse(
            "swap_layout", f"{d.name} lies over {s.name} with its registers in another order", "registers of its own"
        )
    for to, source in moves:
        k.v_mov_b32(to, source)
