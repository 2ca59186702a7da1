"""Masks: keep the elements on one side of a line through the matrix and fill the others with a value.

Each mask keeps where ``down * row + across * column <= limit``. With a limit known when the kernel is written, a
register is kept, filled, or chosen by a constant lane mask; equal masks are set once. With a limit in an SGPR each
lane compares. VCC is overwritten. Elements of 16 and 8 bits are chosen one by one (SDWA); smaller ones are not masked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.builder import Builder
from hkasm.isa.constants import Const
from hkasm.isa.registers import VCC, VCC_HI, VCC_LO, Register
from hkasm.tiles.lanes import write_table
from hkasm.tiles.layout import LANES
from hkasm.tiles.ops.common import refuse, require_dtype, require_same, require_vgprs, temporaries
from hkasm.tiles.ops.fill import pattern
from hkasm.tiles.ops.packing import KEEP
from hkasm.tiles.register import RegTile

Limit = int | Register
"""A number, or an SGPR with a signed one."""
DTYPES = ("f64", "f32", "i32", "xf32", "f16", "bf16", "fp8", "bf8", "i8")
EVERY = (1 << LANES) - 1
PAD = 0
SELECTIONS = {8: (0, 1, 2, 3), 16: (4, 5)}
"""SDWA selections of the elements of a register."""


@dataclass(frozen=True)
class Mask:
    """Keep where ``down * row + across * column <= sign * limit + more``."""

    name: str
    down: int
    across: int
    sign: int
    more: int

    def keeps(self, row: NDArray[np.int64], col: NDArray[np.int64], limit: int) -> NDArray[np.bool_]:
        """Tell which elements stay; rows and columns of any shape."""
        kept: NDArray[np.bool_] = self.down * row + self.across * col <= self.sign * limit + self.more
        return kept


MASKS: dict[str, Mask] = {
    mask.name: mask
    for mask in (
        Mask("tril", -1, 1, 1, 0),
        Mask("triu", 1, -1, -1, 0),
        Mask("left_fill", 0, -1, -1, 0),
        Mask("right_fill", 0, 1, 1, -1),
        Mask("upper_fill", -1, 0, -1, 0),
        Mask("lower_fill", 1, 0, 1, -1),
    )
}
"""tril keeps columns up to row + limit, triu from there on; left_fill fills columns below the limit, right_fill those
from it on; upper_fill and lower_fill do so with rows."""


def apply_mask(
    k: Builder,
    name: str,
    d: RegTile,
    s: RegTile,
    limit: Limit,
    value: float = 0.0,
    *,
    temps: Register | None = None,
) -> None:
    """Emit a mask by name: d is s where the mask keeps it, else `value` (rounded to the dtype). d may be s.

    `temps` are VGPRs to work in: two, and six for a limit in an SGPR.

    Raises:
        UsageError: unknown mask, a dtype below 8 bits, AGPRs, or a limit that is neither a number nor an SGPR.
    """
    mask = MASKS.get(name)
    if mask is None:
        raise refuse(name, "no such mask", ", ".join(MASKS))
    require_dtype(name, s.dtype, DTYPES, k.arch.name)
    require_vgprs(name, d, s)
    require_same(name, s, d)
    if isinstance(limit, Register) and (limit.file != "s" or limit.count != 1):
        raise refuse(name, f"{limit} as a limit", "a whole number, or one SGPR")
    words = pattern(s.dtype, k.arch.name, value)
    with temporaries(k, name, 6 if isinstance(limit, Register) else 2, temps) as work:
        for word, register in zip(words, work, strict=False):
            k.v_mov_b32(register, word)
        writer = _Writer(k, d, s, work[0 : len(words)])
        if isinstance(limit, Register):
            _write_bound(k, mask, s, limit, work[2:6])
            writer.compared(mask, work[2])
        else:
            writer.constant(mask, limit)


def _write_bound(k: Builder, mask: Mask, tile: RegTile, limit: Register, work: Register) -> None:
    """Write for every lane the largest weight of a slot that is kept: the limit less the weight of the lane."""
    bound, lane, part, free = work
    k.v_mbcnt_lo_u32_b32(lane, -1, 0)
    k.v_mbcnt_hi_u32_b32(lane, -1, lane)
    k.v_mov_b32(bound, limit)
    if mask.sign < 0:
        k.v_sub_u32(bound, 0, bound)
    if mask.more:
        k.v_add_u32(bound, mask.more, bound)
    row, col = tile.shape.map(tile.layout)
    for weight, table in ((mask.down, row[0]), (mask.across, col[0])):
        if weight and table.any():
            write_table(k, part, lane, table, free)
            (k.v_sub_u32 if weight > 0 else k.v_add_u32)(bound, bound, part)


@dataclass
class _Writer:
    """Chooses between s and the value, register by register or element by element."""

    k: Builder
    d: RegTile
    s: RegTile
    value: Register

    def __post_init__(self) -> None:
        self.written: set[Register] = set()
        self.per_dword = max(32 // self.s.bits, 1)

    def _places(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield base tile and register (the low one of f64), with the first slot in it."""
        width = max(self.s.bits // 32, 1)
        for i in range(self.s.height):
            for j in range(self.s.width):
                for number in range(self.s.shape.registers(self.s.dtype) // width):
                    yield i, j, number * width, number * self.per_dword

    def constant(self, mask: Mask, limit: int) -> None:
        """Emit with lane masks that are known."""
        row, col = self.s.shape.map(self.s.layout)
        groups: dict[int, list[tuple[int, int, int, int | None]]] = defaultdict(list)
        for i, j, register, slot in self._places():
            count = min(self.per_dword, self.s.shape.elements - slot)
            kept = mask.keeps(
                row[slot : slot + count] + i * self.s.shape.rows,
                col[slot : slot + count] + j * self.s.shape.cols,
                limit,
            )
            lanes_kept = [int(np.packbits(lanes, bitorder="little").view(np.uint64)[0]) for lanes in kept]
            if len(set(lanes_kept)) == 1:
                groups[lanes_kept[0]].append((i, j, register, None))
            else:
                for place, one in enumerate(lanes_kept):
                    groups[one].append((i, j, register, place))
        for bits, places in groups.items():
            if bits not in (0, EVERY):
                self._set_vcc(bits)
            for i, j, register, element in places:
                self._choose(i, j, register, element, bits == EVERY, bits == 0)

    def _set_vcc(self, bits: int) -> None:
        low, high = bits & 0xFFFF_FFFF, bits >> 32
        if low == high and not Const.of(low, "b32").is_literal:
            self.k.s_mov_b32(VCC_LO, low)
            self.k.s_mov_b32(VCC_HI, low)
            return
        self.k.s_mov_b32(VCC_LO, low)
        self.k.s_mov_b32(VCC_HI, high)

    def compared(self, mask: Mask, bound: Register) -> None:
        """Emit with comparisons; slots of one weight share theirs."""
        row, col = self.s.shape.map(self.s.layout)
        groups: dict[int, list[tuple[int, int, int, int | None]]] = defaultdict(list)
        for i, j, register, slot in self._places():
            count = min(self.per_dword, self.s.shape.elements - slot)
            weights = [
                int(
                    mask.down * (row[one, 0] - row[0, 0] + i * self.s.shape.rows)
                    + mask.across * (col[one, 0] - col[0, 0] + j * self.s.shape.cols)
                )
                for one in range(slot, slot + count)
            ]
            if len(set(weights)) == 1:
                groups[weights[0]].append((i, j, register, None))
            else:
                for place, weight in enumerate(weights):
                    groups[weight].append((i, j, register, place))
        for weight, places in groups.items():
            self.k.v_cmp_le_i32(VCC, weight, bound)
            for i, j, register, element in places:
                self._choose(i, j, register, element, False, False)

    def _choose(self, i: int, j: int, register: int, element: int | None, keep: bool, drop: bool) -> None:
        """Write one register, or one element of it, from s or the value as VCC says, or as is known."""
        k, target, source = self.k, self.d[i, j][register], self.s[i, j][register]
        if element is None:
            for number, value in enumerate(self.value):
                to, old = self.d[i, j][register + number], self.s[i, j][register + number]
                if keep and to != old:
                    k.v_mov_b32(to, old)
                elif drop:
                    k.v_mov_b32(to, value)
                elif not keep:
                    k.v_cndmask_b32(to, value, old, VCC)
            return
        if keep and target == source:
            return
        place = SELECTIONS[self.s.bits][element]
        unused = KEEP if target == source or target in self.written else PAD
        self.written.add(target)
        if keep or drop:
            k.v_mov_b32(target, source if keep else self.value, dst_sel=place, dst_unused=unused, src0_sel=place)
            return
        k.v_cndmask_b32(
            target, self.value, source, VCC, dst_sel=place, dst_unused=unused, src0_sel=place, src1_sel=place
        )


def tril(
    k: Builder, d: RegTile, s: RegTile, diagonal: Limit = 0, value: float = 0.0, *, temps: Register | None = None
) -> None:
    """Keep columns up to row + diagonal. Causal masks: diagonal = first query row - first key column of the tile."""
    apply_mask(k, "tril", d, s, diagonal, value, temps=temps)


def triu(
    k: Builder, d: RegTile, s: RegTile, diagonal: Limit = 0, value: float = 0.0, *, temps: Register | None = None
) -> None:
    """Keep columns from row + diagonal on (the causal mask of a transposed tile)."""
    apply_mask(k, "triu", d, s, diagonal, value, temps=temps)


def make_causal(
    k: Builder,
    d: RegTile,
    s: RegTile,
    diagonal: Limit = 0,
    value: float = float("-inf"),
    *,
    temps: Register | None = None,
) -> None:
    """Keep keys up to the query: columns up to row + diagonal, the rest is minus infinity."""
    apply_mask(k, "tril", d, s, diagonal, value, temps=temps)


def left_fill(
    k: Builder, d: RegTile, s: RegTile, col: Limit, value: float = 0.0, *, temps: Register | None = None
) -> None:
    """Fill the columns before `col`."""
    apply_mask(k, "left_fill", d, s, col, value, temps=temps)


def right_fill(
    k: Builder, d: RegTile, s: RegTile, col: Limit, value: float = 0.0, *, temps: Register | None = None
) -> None:
    """Fill the columns from `col` on."""
    apply_mask(k, "right_fill", d, s, col, value, temps=temps)


def upper_fill(
    k: Builder, d: RegTile, s: RegTile, row: Limit, value: float = 0.0, *, temps: Register | None = None
) -> None:
    """Fill the rows before `row`."""
    apply_mask(k, "upper_fill", d, s, row, value, temps=temps)


def lower_fill(
    k: Builder, d: RegTile, s: RegTile, row: Limit, value: float = 0.0, *, temps: Register | None = None
) -> None:
    """Fill the rows from `row` on."""
    apply_mask(k, "lower_fill", d, s, row, value, temps=temps)
