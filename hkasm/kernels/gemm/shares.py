"""Stream-K: which workgroup computes which K steps of which tiles, and where partial tiles wait for their sum.

The *units* of a launch are the K steps of all its tiles, those of a tile in a row, tiles in the order of the grid (or
row by row), products of a batch one after the other. Every workgroup takes an equal share of them, which may start and
end inside a tile: what it has of one tile is a *segment*. A segment that is a whole tile is finished and stored as
ever. Of the others each wave writes its accumulators to a slot of the *workspace*, one for each, and counts up the
*counter* of the tile and that wave. Whoever comes last adds up all parts, in
the order of K whatever the order of arrival, so that a launch's bits do not depend on timing; then it finishes and
stores the tile: scales, bias, activation or a function of one's own see the sum. Nobody waits for anybody, so that
workgroups need not run at the same time. Counters wrap back to zero with the last part, ready for the next launch.

With an order of the grid, workgroups are dealt to shares as they are to tiles elsewhere: each XCD gets runs of shares
that follow each other, thus tiles that lie side by side.

Source of the idea: Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix
Multiplication on the GPU" (arXiv 2301.03598), whose fix-up waits for flags; the count of arrivals needs no waiting.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hkasm.errors import UsageError
from hkasm.grids.order import RANK_NUMBERS, Order, divisor

SHARE_NUMBERS = (
    "units", "share", "share_magic", "share_shift", "steps", "steps_magic", "steps_shift", "tiles", "tiles_magic",
    "tiles_shift", "columns", "columns_magic", "columns_shift", "meets", "meets_magic", "meets_shift",
)  # fmt: skip
"""The 32-bit numbers that the code works with: divisors with what divides by them (`hkasm.grids.order.divisor`)."""
MAX_UNITS = 1 << 28
"""Byte offsets of counters, 4 bytes for each of up to 16 waves, stay below 2^32."""


@dataclass(frozen=True)
class Shares:
    """`rows` x `columns` tiles of each of `products`, of `steps` K steps each, over at most `workers` workgroups."""

    rows: int
    columns: int
    products: int
    steps: int
    workers: int

    def __post_init__(self) -> None:
        if self.units > MAX_UNITS:
            raise UsageError(f"work=stream: {self.units} K steps of all tiles", hint=f"at most {MAX_UNITS}: work=tiles")

    @property
    def tiles(self) -> int:
        """Return the tiles of all products."""
        return self.rows * self.columns * self.products

    @property
    def units(self) -> int:
        """Return the K steps of all tiles."""
        return self.tiles * self.steps

    @property
    def share(self) -> int:
        """Return the units of every workgroup but the last, which may have fewer."""
        return -(-self.units // self.workers)

    @property
    def workgroups(self) -> int:
        """Return the workgroups to launch: fewer than `workers` where shares of whole units need no more."""
        return -(-self.units // self.share)

    @property
    def meets(self) -> int:
        """Return after how many shares one begins with a tile again."""
        return self.steps // math.gcd(self.steps, self.share)

    def cuts(self, workgroup: int) -> int:
        """Return how many of the shares up to a workgroup's begin inside a tile."""
        return workgroup - workgroup // self.meets

    @property
    def split_tiles(self) -> int:
        """Return the tiles that several workgroups share: all, or as many as there are cuts, one in each."""
        return min(self.tiles, self.cuts(self.workgroups - 1))

    @property
    def slots(self) -> int:
        """Return the partial tiles that the workspace has room for: all that there are."""
        return self.cuts(self.workgroups - 1) + self.split_tiles

    def first_share(self, tile: int) -> int:
        """Return the workgroup whose share has a tile's first K step."""
        return tile * self.steps // self.share

    def split_before(self, tile: int) -> int:
        """Return how many of the tiles before one are split.

        Where shares are shorter than a tile all tiles are split, else none is cut twice: the smaller number is right.
        """
        return min(tile, self.cuts(self.first_share(tile)))

    def slot_of(self, tile: int, workgroup: int) -> int:
        """Return the slot of a workgroup's part of a tile.

        Parts lie in the order of K. Every cut and every split tile before makes one: the first part of a tile has slot
        cuts + split tiles, those behind it follow.
        """
        first = self.first_share(tile)
        return self.cuts(first) + self.split_before(tile) + workgroup - first

    def numbers(self) -> dict[str, int]:
        """Return what the code needs, by `SHARE_NUMBERS`."""
        whole = self.rows * self.columns
        divisors = {
            "share": self.share, "steps": self.steps, "tiles": whole, "columns": self.columns, "meets": self.meets,
        }  # fmt: skip
        found = {"units": self.units}
        for name, value in divisors.items():
            magic, shift = divisor(value)
            found |= {name: value, f"{name}_magic": magic, f"{name}_shift": shift}
        return {name: found[name] for name in SHARE_NUMBERS}

    def segments(self, workgroup: int) -> list[tuple[int, int, int]]:
        """Return tile, first K step and number of K steps of each segment of a workgroup, in order."""
        unit, end = workgroup * self.share, min((workgroup + 1) * self.share, self.units)
        found = []
        while unit < end:
            tile, first = divmod(unit, self.steps)
            count = min(self.steps - first, end - unit)
            found.append((tile, first, count))
            unit += count
        return found

    def parts(self, tile: int) -> list[int]:
        """Return the slots in which the parts of a tile lie, in the order of K; none for a tile of one segment."""
        first, last = self.first_share(tile), ((tile + 1) * self.steps - 1) // self.share
        return [] if first == last else [self.slot_of(tile, workgroup) for workgroup in range(first, last + 1)]

    def dealt(self, order: Order) -> dict[str, int]:
        """Return the numbers of an order of one product's tiles with which the code deals shares to XCDs instead.

        An XCD gets as many K steps in a run as its chunk of tiles has.
        """
        chunk = max(round(order.chunk * self.steps / self.share), 1) if order.chunk else 0
        if chunk * order.xcds >= self.workgroups:
            chunk = 0
        shares = Order(1, self.workgroups, order.xcds, chunk=chunk).numbers()
        return order.numbers() | {name: shares[name] for name in RANK_NUMBERS}
