"""Code for index maps: a register of every thread gets what a table says, by shifts, masks and exclusive ors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hkasm.asm.builder import Builder
from hkasm.errors import UsageError
from hkasm.isa.registers import Register

Table = npt.NDArray[np.int64]


def affine(table: Table) -> tuple[int, tuple[int, ...]]:
    """Return a constant and what each bit of the index flips, of a table that consists of nothing else.

    Raises UsageError for a table (its length a power of two) that is not the exclusive or of such parts.
    """
    base = int(table[0])
    columns = tuple(int(table[1 << bit]) ^ base for bit in range(len(table).bit_length() - 1))
    made = np.full(len(table), base, np.int64)
    for bit, column in enumerate(columns):
        made ^= (np.arange(len(table)) >> bit & 1) * column
    if not np.array_equal(made, table):
        raise UsageError("an index map is no exclusive or of the bits of the thread number")
    return base, columns


def write_table(
    k: Builder, target: Register, thread: Register, table: Sequence[int] | Table, free: Register, start: int = 0
) -> None:
    """Write ``target = start + table[thread]``; the table is `affine`, `free` is a register that may be overwritten."""
    base, columns = affine(np.asarray(table, np.int64))
    masks: dict[int, int] = {}
    for bit, column in enumerate(columns):
        for out in range(column.bit_length()):
            if column >> out & 1:
                masks[out - bit] = masks.get(out - bit, 0) | 1 << bit
    if not masks:
        k.v_mov_b32(target, start + base)
        return
    for number, (shift, mask) in enumerate(sorted(masks.items())):
        part = free if number else target
        k.v_and_b32(part, mask, thread)
        if shift > 0:
            k.v_lshlrev_b32(part, shift, part)
        elif shift < 0:
            k.v_lshrrev_b32(part, -shift, part)
        if number:
            k.v_xor_b32(target, target, part)
    if base:
        k.v_xor_b32(target, base, target)
    if start:
        k.v_add_u32(target, start, target)
