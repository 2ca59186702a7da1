"""Code for index maps: registers in which every lane finds its entry of a table, by shifts, masks and exclusive ors.

Addresses of tiles are exclusive ors, or sums, of parts that depend on one bit of the lane's number each: exclusive ors
where sizes are powers of two, whatever the swizzle, and sums where padding or rows of 96 bytes lie between, without a
swizzle. Either kind of table is given by its entries at 0 and at powers of two. Registers hold entries modulo 2**32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.builder import Builder
from hkasm.errors import UsageError
from hkasm.isa.registers import Register

__all__ = ["Bases", "bit_columns", "bit_summands", "share_bases", "write_bases", "write_table"]

Table = NDArray[np.int64]
INLINE_MAX = 64
"""The largest integer that an instruction with three sources takes as a constant (no literals on these chips)."""
WORD = 0xFFFF_FFFF
U24_END, I24_END = 1 << 24, 1 << 23
"""What the fast multiplications take is below these (signed: from the negative of it on)."""
DS_OFFSET_MAX = 0xFFFF
"""The largest offset of an LDS instruction with one address, in bytes."""


def bit_columns(table: Sequence[int] | Table) -> tuple[int, tuple[int, ...]] | None:
    """Return entry 0 and what each bit of the index flips in it, or None for a table that is not made so.

    The table's length is a power of two.
    """
    entries: list[int] = _entries(table).tolist()
    base = entries[0]
    columns = tuple(entries[1 << bit] ^ base for bit in range(len(entries).bit_length() - 1))
    made = [base]
    for column in columns:
        made += [entry ^ column for entry in made]
    return (base, columns) if made == entries else None


def bit_summands(table: Sequence[int] | Table) -> tuple[int, tuple[int, ...]] | None:
    """Return entry 0 and what each bit of the index adds to it, or None for a table that is not made so."""
    entries: list[int] = _entries(table).tolist()
    base = entries[0]
    summands = tuple(entries[1 << bit] - base for bit in range(len(entries).bit_length() - 1))
    made = [base]
    for summand in summands:
        made += [entry + summand for entry in made]
    return (base, summands) if made == entries else None


def _entries(table: Sequence[int] | Table) -> Table:
    entries = np.asarray(table, np.int64)
    if len(entries) & (len(entries) - 1):
        raise UsageError(f"an index map of {len(entries)} entries", hint="a power of two of them")
    return entries


def write_table(k: Builder, target: Register, index: Register, table: Sequence[int] | Table, free: Register) -> None:
    """Write ``target = table[index % len(table)]``; `free` may be overwritten, `index` is another register.

    Raises UsageError for a table that is neither an exclusive or nor a sum of parts that depend on one bit of the index
    each, nor such an exclusive or times or plus a constant; for entries that no register holds; and for a sum in steps
    that no fast multiplication takes, from 2**24 up or below -2**23.
    """
    entries = _entries(table)
    if int(entries.min()) < -(1 << 31) or int(entries.max()) > WORD:
        raise UsageError(
            f"an index map with entries from {entries.min()} to {entries.max()}", hint="32 bits of a register hold them"
        )
    found = bit_columns(entries & WORD)
    if found is not None:
        if not any(found[1]):
            k.v_mov_b32(target, found[0])
            return
        _write_exclusive(k, target, index, found[1], free)
        if found[0]:
            k.v_xor_b32(target, found[0], target)
    elif (summed := bit_summands(entries)) is not None:
        _write_sum(k, target, index, *summed, free)
    else:
        apart = entries - entries[0]
        scale = int(np.gcd.reduce(apart))
        scale //= scale & -scale  # powers of two are shifts
        found = bit_columns(apart // scale) if int(apart.min()) >= 0 else None
        if found is None or int(apart.max()) // scale >= U24_END or scale >= U24_END:
            raise UsageError(
                "an index map is no exclusive or, and no sum, of the bits of the lane's number",
                hint="entries that are so, or an exclusive or times or plus a constant",
            )
        _write_exclusive(k, target, index, found[1], free)
        if scale > 1:
            k.v_mul_u32_u24(target, scale, target)
        if entries[0]:
            k.v_add_u32(target, int(entries[0]), target)


def _write_exclusive(k: Builder, target: Register, index: Register, columns: tuple[int, ...], free: Register) -> None:
    """Write an exclusive or of parts of the index, at least one."""
    written = 0
    for number, (shift, mask) in enumerate(_terms(columns)):
        out = mask << shift if shift >= 0 else mask >> -shift
        if number == 0:
            _first(k, target, index, shift, mask)
        else:
            _more(k, target, index, shift, mask, free, overlap=bool(out & written))
        written |= out


def _write_sum(
    k: Builder, target: Register, index: Register, base: int, summands: tuple[int, ...], free: Register
) -> None:
    """Write a sum: bits of the index whose summands double from one to the next are one field, times a constant."""
    started = False
    bit = 0
    while bit < len(summands):
        width = 1
        while bit + width < len(summands) and summands[bit + width] == 2 * summands[bit + width - 1]:
            width += 1
        if summands[bit]:
            part = free if started else target
            if not -I24_END <= summands[bit] < U24_END:
                raise UsageError(
                    f"an index map with steps of {summands[bit]}", hint=f"steps from {-I24_END} to {U24_END - 1}"
                )
            k.v_bfe_u32(part, index, bit, width)
            (k.v_mul_u32_u24 if summands[bit] > 0 else k.v_mul_i32_i24)(part, summands[bit], part)
            if started:
                k.v_add_u32(target, free, target)
            started = True
        bit += width
    if base:
        k.v_add_u32(target, base, target)


def _terms(columns: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return (left shift, mask of index bits), those first that one instruction makes."""
    masks: dict[int, int] = {}
    for bit, column in enumerate(columns):
        for out in range(column.bit_length()):
            if column >> out & 1:
                masks[out - bit] = masks.get(out - bit, 0) | 1 << bit
    return sorted(masks.items(), key=lambda term: (term[0] > 0 or not _is_field(*term), term))


def _is_field(shift: int, mask: int) -> bool:
    """Tell whether a term is a bit field moved down to bit 0, or stays where it is."""
    moved = mask >> max(-shift, 0)
    return shift == 0 or (shift < 0 and moved & (moved + 1) == 0 and moved << -shift == mask)


def _first(k: Builder, target: Register, index: Register, shift: int, mask: int) -> None:
    if shift < 0 and _is_field(shift, mask):
        k.v_bfe_u32(target, index, -shift, (mask >> -shift).bit_length())
        return
    k.v_and_b32(target, mask, index)
    if shift > 0:
        k.v_lshlrev_b32(target, shift, target)
    elif shift < 0:
        k.v_lshrrev_b32(target, -shift, target)


def _more(k: Builder, target: Register, index: Register, shift: int, mask: int, free: Register, overlap: bool) -> None:
    if shift == 0 and not overlap and mask <= INLINE_MAX:
        k.v_and_or_b32(target, index, mask, target)
    elif shift > 0 and not overlap:
        k.v_and_b32(free, mask, index)
        k.v_lshl_or_b32(target, free, shift, target)
    else:
        _first(k, free, index, shift, mask)
        k.v_xor_b32(target, free, target)


@dataclass(frozen=True, eq=False)
class Bases:
    """Lane tables to which every wanted one is a constant away.

    Wanted table i is ``tables[b] + offset`` in all lanes, with ``(b, offset) = uses[i]`` and offsets from 0 up.
    """

    tables: tuple[Table, ...]
    uses: tuple[tuple[int, int], ...]


def share_bases(wanted: Sequence[Table], limit: int = DS_OFFSET_MAX) -> Bases:
    """Return bases for tables of lane addresses, so that offsets up to `limit` fit into the instructions."""
    groups: dict[bytes, list[int]] = {}
    for number, table in enumerate(wanted):
        groups.setdefault((table - table[0]).tobytes(), []).append(number)
    tables: list[Table] = []
    uses: list[tuple[int, int]] = [(0, 0)] * len(wanted)
    for members in groups.values():
        first: int | None = None
        for number in sorted(members, key=lambda one: int(wanted[one][0])):
            start = int(wanted[number][0])
            if first is None or start - first > limit:
                first = start
                tables.append(wanted[number])
            uses[number] = (len(tables) - 1, start - first)
    return Bases(tuple(tables), tuple(uses))


def write_bases(k: Builder, targets: Sequence[Register], index: Register, bases: Bases, free: Register) -> None:
    """Write one register a base: from an earlier one where that takes one instruction, else from the lane's number."""
    for number, (target, table) in enumerate(zip(targets, bases.tables, strict=True)):
        for earlier, other in zip(targets[:number], bases.tables[:number], strict=True):
            flipped, apart = table ^ other, table - other
            if (flipped == flipped[0]).all():
                k.v_xor_b32(target, int(flipped[0]), earlier)
                break
            if (apart == apart[0]).all():
                k.v_add_u32(target, int(apart[0]), earlier)
                break
        else:
            write_table(k, target, index, table, free)
