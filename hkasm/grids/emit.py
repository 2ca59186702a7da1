"""Orders as scalar instructions: workgroup id in, row and column of its tile out. At most 32 of them.

The numbers of an order (`Order.numbers`) are in sixteen SGPRs, loaded like any kernel argument, so that one code object
serves every shape and every order; only the number of XCDs is fixed when the code is written.
"""

from __future__ import annotations

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import Label
from hkasm.errors import UsageError
from hkasm.grids.order import NUMBER_NAMES, divisor
from hkasm.isa.registers import Register

__all__ = ["emit_order", "emit_rank", "emit_reserved", "emit_shares", "emit_tile", "number"]

TEMPORARIES = 4
NUMBERS = len(NUMBER_NAMES)


def number(numbers: Register, name: str) -> Register:
    """Return the SGPR of one of an order's numbers."""
    return numbers[NUMBER_NAMES.index(name)]


def emit_order(
    k: Builder,
    workgroup: Register,
    numbers: Register,
    row: Register,
    column: Register,
    temporaries: Register,
    *,
    xcds: int = 8,
    longest_first: bool = False,
) -> None:
    """Write row and column of a workgroup's tile: 29 to 32 scalar instructions.

    `numbers` are 16 SGPRs, `temporaries` 4; `workgroup` stays as it is and is none of the others.
    Raises UsageError for register slices of another size.
    """
    _check(numbers, temporaries)
    _write_rank(k, workgroup, numbers, row, temporaries, xcds)
    _write_tile(k, numbers, row, column, temporaries, longest_first)


def emit_rank(
    k: Builder, workgroup: Register, numbers: Register, rank: Register, temporaries: Register, *, xcds: int = 8
) -> None:
    """Write the rank of a workgroup, of an order of as many as are launched; registers as for `emit_order`."""
    _check(numbers, temporaries)
    _write_rank(k, workgroup, numbers, rank, temporaries, xcds)
    k.s_mov_b32(rank, temporaries[1])


def emit_tile(
    k: Builder,
    rank: Register,
    numbers: Register,
    row: Register,
    column: Register,
    temporaries: Register,
    *,
    longest_first: bool = False,
) -> None:
    """Write row and column of the tile of a rank, which stays as it is; registers as for `emit_order`."""
    _check(numbers, temporaries)
    k.s_mov_b32(temporaries[1], rank)
    _write_tile(k, numbers, row, column, temporaries, longest_first)


def emit_shares(
    k: Builder,
    workgroup: Register,
    table: Register,
    numbers: Register,
    row: Register,
    column: Register,
    temporaries: Register,
    padding: Label,
    *,
    offset: int = 0,
    xcds: int = 8,
    longest_first: bool = False,
) -> None:
    """Write row and column of a workgroup's tile where XCDs have unequal shares; padding goes to a label.

    `offset` bytes behind the address `table` are two dwords an XCD: its first rank and its share
    (`Order.share_table`).
    """
    _check(numbers, temporaries)
    x, place, t2, t3 = temporaries
    pair = temporaries[2:4]
    _write_place(k, workgroup, x, place, xcds)
    k.s_lshl3_add_u32(t2, x, offset)
    k.s_load_dwordx2(pair, table, t2)
    k.wait(pair)
    k.s_cmp_lt_u32(place, t3)
    k.s_cbranch_scc0(padding)
    k.s_add_u32(place, place, t2)
    _write_tile(k, numbers, row, column, temporaries, longest_first)


def emit_reserved(k: Builder, workgroup: Register, reserved: int, communication: Label, *, xcds: int = 8) -> None:
    """Send the first `reserved` workgroups of every XCD to a label and number the others from 0: 3 instructions."""
    k.s_cmp_lt_u32(workgroup, reserved * xcds)
    k.s_cbranch_scc1(communication)
    k.s_sub_u32(workgroup, workgroup, reserved * xcds)


def _check(numbers: Register, temporaries: Register) -> None:
    if numbers.count != NUMBERS or temporaries.count != TEMPORARIES:
        raise UsageError(
            f"an order wants {NUMBERS} numbers and {TEMPORARIES} temporaries, got {numbers} and {temporaries}"
        )


def _write_place(k: Builder, workgroup: Register, x: Register, place: Register, xcds: int) -> None:
    """Write the XCD of a workgroup, and which of the XCD's workgroups it is."""
    if xcds & (xcds - 1) == 0:
        k.s_and_b32(x, workgroup, xcds - 1)
        k.s_lshr_b32(place, workgroup, xcds.bit_length() - 1)
        return
    magic, shift = divisor(xcds)
    # An odd divisor is at least 3: the doubling moves into the shift.
    k.s_mul_hi_u32(place, workgroup, magic)
    k.s_lshr_b32(place, place, shift - 1)
    k.s_mul_i32(x, place, xcds)
    k.s_sub_u32(x, workgroup, x)


def _write_rank(
    k: Builder, workgroup: Register, numbers: Register, free: Register, temporaries: Register, xcds: int
) -> None:
    """Write the rank of a workgroup into the second temporary."""
    x, place, t2, t3 = temporaries
    _write_place(k, workgroup, x, place, xcds)
    k.s_lshl_b32(t2, place, 1)
    k.s_mul_hi_u32(t2, t2, number(numbers, "chunk_magic"))
    k.s_lshr_b32(t2, t2, number(numbers, "chunk_shift"))
    k.s_cmp_lt_u32(t2, number(numbers, "full"))
    k.s_cselect_b32(t3, number(numbers, "chunk"), number(numbers, "tail"))
    k.s_cselect_b32(free, 0, number(numbers, "rest"))
    k.s_mul_i32(t3, x, t3)
    k.s_min_u32(free, x, free)
    k.s_add_u32(t3, t3, free)
    k.s_min_u32(t2, t2, number(numbers, "full"))
    k.s_mul_i32(t2, t2, number(numbers, "stride"))
    k.s_add_u32(t3, t3, t2)
    k.s_add_u32(place, place, t3)


def _write_tile(
    k: Builder, numbers: Register, row: Register, column: Register, temporaries: Register, longest_first: bool
) -> None:
    """Turn the rank in the second temporary into row and column."""
    t0, rank, t2, t3 = temporaries
    k.s_lshl_b32(t2, rank, 1)
    k.s_mul_hi_u32(t2, t2, number(numbers, "band_magic"))
    k.s_lshr_b32(t2, t2, number(numbers, "band_shift"))
    k.s_mul_i32(t3, t2, number(numbers, "band"))
    k.s_sub_u32(rank, rank, t3)
    k.s_mul_i32(row, t2, number(numbers, "window"))
    k.s_cmp_eq_u32(t2, number(numbers, "last"))
    k.s_cselect_b32(t2, number(numbers, "last_magic"), number(numbers, "window_magic"))
    k.s_cselect_b32(t3, number(numbers, "last_height"), number(numbers, "window"))
    k.s_lshl_b32(t0, rank, 1)
    k.s_mul_hi_u32(column, t0, t2)
    k.s_mul_i32(t2, column, t3)
    k.s_sub_u32(rank, rank, t2)
    k.s_add_u32(row, row, rank)
    if longest_first:
        k.s_sub_u32(column, number(numbers, "last_column"), column)
