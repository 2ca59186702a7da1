"""Reductions of a tile's rows and columns to a vector of f32, and of a vector to one value.

Small floats are widened and everything is reduced in f32, so that no statistic is rounded to 16 bits. First come the
values that a lane holds (two an instruction: `v_max3`, packed sums), then the lanes (crosslane.py). max and min prefer
a number to NaN, -0 to +0 as v_max and v_min do; NaN alone gives NaN. Sums of f32 are rounded after every step, in an
order that the layout gives; every lane gets the same bits. With `acc` the result is combined with a vector like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hkasm.asm.builder import Builder
from hkasm.isa.registers import Register
from hkasm.tiles.ops.common import (
    FLOATS,
    optional_temporaries,
    refuse,
    require_dtype,
    require_vec,
    require_vgprs,
)
from hkasm.tiles.ops.crosslane import Combine, lane_bits, reduce_lanes, temporaries_for
from hkasm.tiles.ops.elementwise import larger, smaller
from hkasm.tiles.ops.lanes import Lanes, lanes
from hkasm.tiles.ops.packing import PER_DWORD, widen
from hkasm.tiles.register import RegTile, RegVec

Array = NDArray[Any]


@dataclass(frozen=True)
class Reduction:
    """One way to reduce: its instruction, one that takes three sources (or none), and what it means.

    `reference` reduces the last axis of float64 arrays. `repeats` says that a value may count twice.
    """

    name: str
    combine: str
    three: str
    repeats: bool
    reference: Callable[[Array], Array]


def _reduce_with(function: Callable[[Array, Array], Array]) -> Callable[[Array], Array]:
    def reference(x: Array) -> Array:
        result = x[..., 0]
        for number in range(1, x.shape[-1]):
            result = function(result, x[..., number])
        return result

    return reference


REDUCTIONS: dict[str, Reduction] = {
    row.name: row
    for row in (
        Reduction("max", "v_max_f32", "v_max3_f32", True, _reduce_with(larger)),
        Reduction("min", "v_min_f32", "v_min3_f32", True, _reduce_with(smaller)),
        Reduction("sum", "v_add_f32", "", False, lambda x: np.sum(x, axis=-1)),
        Reduction("prod", "v_mul_f32", "", False, lambda x: np.prod(x, axis=-1)),
    )
}


def reduce(
    k: Builder,
    name: str,
    along: str,
    vec: RegVec,
    tile: RegTile,
    acc: RegVec | None = None,
    *,
    temps: Register | None = None,
) -> None:
    """Emit vec = reduction of every row (`along` ``row``) or column (``col``) of a tile, combined with `acc` if given.

    `vec` is what `RegVec.for_rows` (``for_cols``) makes for the tile; `acc` is like it and may be `vec`. `temps` are
    VGPRs to work in: `temporaries_of` says how many.

    Raises:
        UsageError: a dtype, file or vector that the operation does not take.
    """
    what = f"{along}_{name}"
    if name not in REDUCTIONS or along not in ("row", "col"):
        raise refuse(what, "no such reduction", ", ".join(f"row_{n}, col_{n}" for n in REDUCTIONS))
    op = REDUCTIONS[name]
    require_dtype(what, tile.dtype, FLOATS, k.arch.name)
    require_vgprs(what, tile, vec)
    for vector in (vec, acc):
        if vector is not None:
            require_vgprs(what, vector)
            require_vec(what, vector, tile)
            if vector.along != along:
                raise refuse(what, f"{vector.name} has a value for every {vector.along}", f"one for every {along}")
    start = acc if acc is not None and op.repeats else None
    hold = acc is not None and not op.repeats
    with optional_temporaries(
        k, what, temporaries_of(name, along, k.arch.name, tile, acc=acc is not None), temps
    ) as work:
        done = 0
        results = vec.pieces
        if hold:
            assert work is not None
            results, done = _like(vec, work), _even(sum(piece.count for piece in vec.pieces))
        rest = work[done:] if work is not None and work.count > done else None
        with lanes(k) as alu:
            for number, result in enumerate(results):
                _within_lanes(alu, op, tile, along, number, result, start, rest)
        registers = [register for result in results for register in result]
        combine: Combine = getattr(k, op.combine)
        reduce_lanes(k, combine, registers, _bits(tile, along), rest)
        if hold:
            assert acc is not None
            added = [register for piece in acc.pieces for register in piece]
            targets = [register for piece in vec.pieces for register in piece]
            for target, value, before in zip(targets, registers, added, strict=True):
                combine(target, value, before)


def temporaries_of(name: str, along: str, arch: str, tile: RegTile, *, acc: bool = False) -> int:
    """Return how many temporary VGPRs a reduction wants."""
    ortho = tile.layout == along
    parts = tile.height if along == "row" else tile.width
    registers = parts * (1 if ortho else tile.shape.elements)
    held = _even(registers) if acc and not REDUCTIONS[name].repeats else 0
    lane = temporaries_for(arch, registers, _bits(tile, along))
    in_lane = 0 if tile.dtype == "f32" else 4
    if name in ("sum", "prod") and ortho:
        in_lane += 2
    return held + max(lane, in_lane)


def _even(count: int) -> int:
    return count + count % 2


def _like(vec: RegVec, work: Register) -> tuple[Register, ...]:
    found, done = [], 0
    for piece in vec.pieces:
        found.append(work[done : done + piece.count])
        done += piece.count
    return tuple(found)


def _bits(tile: RegTile, along: str) -> tuple[int, ...]:
    lines = tile.shape.rows if tile.layout == "row" else tile.shape.cols
    return lane_bits(lines, tile.layout == along)


# ---- what a lane holds ---------------------------------------------------------------------------------------------


def _within_lanes(
    alu: Lanes,
    op: Reduction,
    tile: RegTile,
    along: str,
    number: int,
    result: Register,
    start: RegVec | None,
    work: Register | None,
) -> None:
    """Reduce the base tiles of row (column) `number` to one value a lane, or to one a slot where slots are lines."""
    pieces = (
        [tile[number, j] for j in range(tile.width)]
        if along == "row"
        else [tile[i, number] for i in range(tile.height)]
    )
    before = start.pieces[number] if start is not None else None
    if tile.layout == along:
        chain = _Chain(alu, op, result[0], before[0] if before is not None else None, work)
        for values in _widened(alu.k, tile.dtype, pieces, work):
            chain.take(values)
        chain.end()
        return
    for place, piece in enumerate(pieces):
        slot = 0
        for values in _widened(alu.k, tile.dtype, [piece], work):
            targets = list(result[slot : slot + len(values)])
            slot += len(values)
            if place == 0 and before is None:
                _move(alu.k, targets, values)
                continue
            others = list(before[slot - len(values) : slot]) if place == 0 and before is not None else targets
            if op.name in ("sum", "prod"):
                (alu.add if op.name == "sum" else alu.mul)(targets, others, values)
            else:
                alu.each(getattr(alu.k, op.combine), targets, others, values)


def _move(k: Builder, targets: Sequence[Register], values: Sequence[Register]) -> None:
    for target, value in zip(targets, values, strict=True):
        if target != value:
            k.v_mov_b32(target, value)


def _widened(k: Builder, dtype: str, pieces: Sequence[Register], work: Register | None) -> Iterator[list[Register]]:
    """Yield the values of base tiles in f32, four at a time, in place or in temporaries."""
    per_dword = PER_DWORD[dtype]
    for piece in pieces:
        step = 4 // per_dword
        for first in range(0, piece.count, step):
            dwords = piece[first : min(first + step, piece.count)]
            if per_dword == 1:
                yield list(dwords)
                continue
            assert work is not None
            values = list(work[0 : dwords.count * per_dword])
            for number, dword in enumerate(dwords):
                widen(k, dtype, dword, values[number * per_dword : (number + 1) * per_dword])
            yield values


class _Chain:
    """Combines values one after the other into one register."""

    def __init__(
        self, alu: Lanes, op: Reduction, result: Register, before: Register | None, work: Register | None
    ) -> None:
        self.alu, self.op, self.result = alu, op, result
        self.held = before
        self.pair = list(work[work.count - 2 :]) if work is not None and not op.three else []
        self.paired = False
        self.waiting: Register | None = None

    def take(self, values: Sequence[Register]) -> None:
        """Combine some values with those before; registers that the caller reuses are read here."""
        (self._take_three if self.op.three else self._take_pairs)(values)

    def _take_three(self, values: Sequence[Register]) -> None:
        k, left = self.alu.k, list(values)
        if self.held is None:
            if len(left) == 1:
                k.v_mov_b32(self.result, left[0])
            elif len(left) == 2:
                getattr(k, self.op.combine)(self.result, left[0], left[1])
            else:
                getattr(k, self.op.three)(self.result, left[0], left[1], left[2])
            self.held, left = self.result, left[3:]
        while left:
            if len(left) == 1:
                getattr(k, self.op.combine)(self.result, self.held, left[0])
            else:
                getattr(k, self.op.three)(self.result, self.held, left[0], left[1])
            self.held, left = self.result, left[2:]

    def _take_pairs(self, values: Sequence[Register]) -> None:
        """Keep two running values in an even pair, so that packed instructions take two elements."""
        emit = self.alu.add if self.op.name == "sum" else self.alu.mul
        left = list(values)
        if not self.paired:
            if len(left) >= 4:
                emit(self.pair, left[0:2], left[2:4])
                left = left[4:]
            else:
                _move(self.alu.k, self.pair[: len(left)], left)
                if len(left) == 1:
                    self.alu.k.v_mov_b32(self.pair[1], 0 if self.op.name == "sum" else 1.0)
                left = []
            self.paired = True
        while left:
            emit(self.pair[: len(left[:2])], self.pair[: len(left[:2])], left[:2])
            left = left[2:]

    def end(self) -> None:
        """Combine what is left into the result."""
        if not self.op.three:
            getattr(self.alu.k, self.op.combine)(self.result, self.pair[0], self.pair[1])
        elif self.held is not self.result:
            assert self.held is not None
            self.alu.k.v_mov_b32(self.result, self.held)


def reduce_vector(k: Builder, name: str, result: Register, vec: RegVec, *, temps: Register | None = None) -> None:
    """Emit result = reduction of a vector of f32, the same in every lane.

    Raises:
        UsageError: a vector that is not of f32 in VGPRs, or whose lanes hold no copies (`naive`).
    """
    what = f"vec_{name}"
    if name not in REDUCTIONS:
        raise refuse(what, "no such reduction", ", ".join(f"vec_{n}" for n in REDUCTIONS))
    require_dtype(what, vec.dtype, ("f32",), "any arch, for vectors")
    require_vgprs(what, vec)
    op, lines = REDUCTIONS[name], vec.shape.rows if vec.layout == "row" else vec.shape.cols
    bits = tuple(range(6)) if vec.kind == "naive" else lane_bits(lines, vec.kind == "align")
    count = max(temporaries_for(k.arch.name, 1, bits), 0 if op.three else 2)
    with optional_temporaries(k, what, count, temps) as work, lanes(k) as alu:
        chain = _Chain(alu, op, result, None, work)
        for piece in vec.pieces:
            for first in range(0, piece.count, 4):
                chain.take(list(piece)[first : first + 4])
        chain.end()
        reduce_lanes(k, getattr(k, op.combine), [result], bits, work)


def _named(name: str, along: str) -> Callable[..., None]:
    def emit(
        k: Builder, vec: RegVec, tile: RegTile, acc: RegVec | None = None, *, temps: Register | None = None
    ) -> None:
        reduce(k, name, along, vec, tile, acc, temps=temps)

    emit.__name__ = f"{along}_{name}"
    emit.__doc__ = f"vec = {name} of every {'row' if along == 'row' else 'column'} of a tile (and of acc)."
    return emit


row_max, row_min, row_sum, row_prod = (_named(name, "row") for name in REDUCTIONS)
col_max, col_min, col_sum, col_prod = (_named(name, "col") for name in REDUCTIONS)
