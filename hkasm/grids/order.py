"""Orders: which workgroup computes which tile, as arithmetic that is a bijection for any number of tiles.

Every order here is the same two steps with other numbers. Workgroup w comes to XCD ``x = w % X`` as its ``l = w // X``
th. *Regrouping* gives XCD x runs of C consecutive ranks (``rank = l // C * X C + x C + l % C`` while whole cycles of
X C last; what is left is dealt out in one contiguous run an XCD). *Windows* turn a rank into a tile: bands of W rows,
column by column inside a band. W = 1, C = 1 is row-major; C without end is contiguous ranks an XCD, which for attention
(rows are heads, columns are blocks of queries) is head-first with W heads live at once.

Sources: HipKittens (arXiv 2511.08083) algorithm 1 for W and C, whose printed form leaves the rest behind the last whole
cycle where it was and is no bijection when C exceeds an XCD's share; swizzled head-first mapping (arXiv 2511.02132),
whose figure 11 covers batch 1 only. Contiguous ranges by prefix sums mend both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hkasm.errors import UsageError

__all__ = [
    "NUMBER_NAMES",
    "RANK_NUMBERS",
    "Order",
    "chunked",
    "divisor",
    "head_first",
    "parse_order",
    "row_major",
    "weighted",
]

IntArray = npt.NDArray[np.int64]
MAX_TILES = 1 << 31
"""Ranks stay below 2^31, so that twice a rank fits a register (`divisor`)."""

NUMBER_NAMES = (
    "chunk", "chunk_magic", "chunk_shift", "full", "stride", "tail", "rest", "band", "band_magic", "band_shift",
    "window", "window_magic", "last", "last_height", "last_magic", "last_column",
)  # fmt: skip
"""The sixteen 32-bit numbers that the emitted code works with, in the order in which it loads them."""
RANK_NUMBERS = NUMBER_NAMES[:7]
"""Those that turn a workgroup into a rank; the others turn a rank into a tile."""


def divisor(d: int) -> tuple[int, int]:
    """Return m, s with ``n // d == (2 n m >> 32) >> s`` for every n below 2^31: m = ceil(2^(31 + s) / d), 2^s >= d.

    m d exceeds 2^(31 + s) by e < d, so the quotient is too large by n e / (d 2^(31 + s)) < 1 / d (Granlund and
    Montgomery, PLDI 1994).
    """
    shift = (d - 1).bit_length()
    return -(-(1 << (31 + shift)) // d), shift


@dataclass(frozen=True)
class Order:
    """An order of ``rows x columns`` tiles over `xcds` dies.

    `window` is W, `chunk` is C (0: as large as an XCD's share). `longest_first` takes columns from the last to the
    first (causal attention, where later blocks of queries have more work). `shares` are the ranks of each XCD where
    they are unequal; the launch is then padded with workgroups that compute nothing. `reserved` workgroups of each
    XCD come first and are for communication.
    """

    rows: int
    columns: int
    xcds: int = 8
    window: int = 1
    chunk: int = 1
    longest_first: bool = False
    shares: tuple[int, ...] = ()
    reserved: int = 0
    name: str = field(default="rows", compare=False)

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1 or self.count >= MAX_TILES:
            raise UsageError(f"{self.rows} x {self.columns} tiles: from 1 to 2^31 - 1 have an order")
        if not 1 <= self.xcds <= 64 or self.window < 1 or self.chunk < 0 or self.reserved < 0:
            raise UsageError(
                f"no order has {self.xcds} XCDs, window {self.window}, chunk {self.chunk}, {self.reserved} reserved"
            )
        if self.shares and (len(self.shares) != self.xcds or sum(self.shares) != self.count or min(self.shares) < 0):
            raise UsageError(f"shares {self.shares} of {self.xcds} XCDs do not add up to {self.count} tiles")
        if self.height**2 * self.columns >= MAX_TILES:
            raise UsageError(
                f"window {self.window} is too high for {self.columns} columns", hint="W^2 x columns < 2^31"
            )

    @property
    def count(self) -> int:
        """Return the number of tiles."""
        return self.rows * self.columns

    @property
    def height(self) -> int:
        """Return the rows of a whole band: the window, or all rows where there are fewer."""
        return min(self.window, self.rows)

    @property
    def workgroups(self) -> int:
        """Return the workgroups to launch: reserved ones, one a tile, and what pads unequal shares."""
        return self.reserved * self.xcds + (max(self.shares) * self.xcds if self.shares else self.count)

    @property
    def first_workgroup(self) -> int:
        """Return the first workgroup that has a tile."""
        first = self.reserved * self.xcds
        return first + (min(x for x, share in enumerate(self.shares) if share) if self.shares else 0)

    @property
    def how(self) -> str:
        """Return how shares are kept: `even`, or `padded` (workgroups beyond an XCD's share compute nothing)."""
        return "padded" if self.shares else "even"

    def numbers(self) -> dict[str, int]:
        """Return what the emitted code needs, by `NUMBER_NAMES`."""
        run = self.chunk or -(-self.count // self.xcds)
        full = self.count // (run * self.xcds) if self.chunk else 0
        left = self.count - full * run * self.xcds
        last = -(-self.rows // self.height) - 1
        height = self.rows - last * self.height
        values = (
            run, *divisor(run), full, run * (self.xcds - 1), left // self.xcds, left % self.xcds,
            self.height * self.columns, *divisor(self.height * self.columns),
            self.height, -(-(1 << 31) // self.height), last, height, -(-(1 << 31) // height), self.columns - 1,
        )  # fmt: skip
        return dict(zip(NUMBER_NAMES, values, strict=True))

    def starts(self) -> tuple[int, ...]:
        """Return the first rank of each XCD's share, and the number of tiles behind the last."""
        starts = [0]
        for share in self.shares:
            starts.append(starts[-1] + share)
        return tuple(starts)

    def share_table(self) -> list[int]:
        """Return first rank and share of each XCD in turn, where shares are unequal: what the emitted code looks up."""
        return [number for pair in zip(self.starts(), self.shares, strict=False) for number in pair]

    def ranks(self, workgroups: npt.ArrayLike) -> IntArray:
        """Return the rank of each workgroup, -1 for one that is reserved or padding."""
        w = np.asarray(workgroups, dtype=np.int64) - self.reserved * self.xcds
        x, place = w % self.xcds, w // self.xcds
        if self.shares:
            inside = place < np.array(self.shares)[x]
            return np.where((w >= 0) & inside, np.array(self.starts())[x] + place, -1)
        n = self.numbers()
        chunk = place // n["chunk"]
        whole = chunk < n["full"]
        size = np.where(whole, n["chunk"], n["tail"])
        extra = np.minimum(x, np.where(whole, 0, n["rest"]))
        return np.where(w >= 0, np.minimum(chunk, n["full"]) * n["stride"] + x * size + extra + place, -1)

    def tiles(self, workgroups: npt.ArrayLike) -> tuple[IntArray, IntArray]:
        """Return row and column of each workgroup's tile, -1 for workgroups without one."""
        rank = self.ranks(workgroups)
        band, inside = rank // (self.height * self.columns), rank % (self.height * self.columns)
        first = band * self.height
        height = np.minimum(self.rows - first, self.height)
        column = inside // height
        row = first + inside - column * height
        if self.longest_first:
            column = self.columns - 1 - column
        return np.where(rank < 0, -1, row), np.where(rank < 0, -1, column)

    def tile(self, workgroup: int) -> tuple[int, int] | None:
        """Return row and column of one workgroup's tile, None for one that computes nothing."""
        row, column = self.tiles([workgroup])
        return None if row[0] < 0 else (int(row[0]), int(column[0]))

    def ranks_by_xcd(self) -> list[IntArray]:
        """Return for each XCD the ranks that it computes, in the order of dispatch."""
        w = np.arange(self.workgroups)
        rank = self.ranks(w)
        return [rank[(w % self.xcds == x) & (rank >= 0)] for x in range(self.xcds)]

    def tiles_by_xcd(self) -> list[IntArray]:
        """Return for each XCD the tiles (row x columns + column) that it computes, in the order of dispatch."""
        w = np.arange(self.workgroups)
        row, column = self.tiles(w)
        tile = np.where(row < 0, -1, row * self.columns + column)
        return [one[one >= 0] for one in (tile[x :: self.xcds] for x in range(self.xcds))]


def row_major(rows: int, columns: int, xcds: int = 8) -> Order:
    """Return the plain order: workgroup w computes tile w, rows one after another."""
    return Order(rows, columns, xcds)


def chunked(rows: int, columns: int, window: int, chunk: int, xcds: int = 8) -> Order:
    """Return the chunked and windowed order; chunk 0 gives every XCD one contiguous range."""
    return Order(rows, columns, xcds, window, chunk, name=f"w{window}c{chunk or 'all'}")


def head_first(heads: int, blocks: int, xcds: int = 8, *, live: int = 1, causal: bool = False) -> Order:
    """Return head-first for attention: rows are heads (of all batches; groups for GQA), columns blocks of queries.

    An XCD has whole heads, `live` of them at once; a causal mask puts the longest blocks of these first.
    """
    return Order(heads, blocks, xcds, live, 0, causal, name=f"head{live}{'causal' if causal else ''}")


def weighted(order: Order, weights: tuple[float, ...]) -> Order:
    """Return an order with shares in proportion to the XCDs' weights, rounded by largest remainder.

    Raises:
        UsageError: not one positive weight an XCD.
    """
    if len(weights) != order.xcds or min(weights) <= 0:
        raise UsageError(f"{order.xcds} XCDs want as many positive weights, got {weights}")
    exact = [order.count * weight / sum(weights) for weight in weights]
    shares = [int(share) for share in exact]
    by_rest = sorted(range(order.xcds), key=lambda x: shares[x] - exact[x])
    for x in by_rest[: order.count - sum(shares)]:
        shares[x] += 1
    return Order(
        order.rows, order.columns, order.xcds, order.window, 0, order.longest_first, tuple(shares), order.reserved,
        f"{re.sub('c[0-9]+$', 'call', order.name)}-weighted",
    )  # fmt: skip


_CHUNKED = re.compile(r"w([1-9][0-9]{0,5})(?:c([1-9][0-9]{0,8}|all))?")
_HEADS = re.compile(r"head([1-9][0-9]{0,5})?(causal)?")


def parse_order(text: str, rows: int, columns: int, xcds: int = 8) -> Order:
    """Return the order that a parameter names: `rows`, `w8c64`, `w4call`, `head`, `head4`, `head4causal`.

    Raises:
        UsageError: no such order.
    """
    if text == "rows":
        return row_major(rows, columns, xcds)
    if found := _CHUNKED.fullmatch(text):
        chunk = 0 if found[2] in (None, "all") else int(found[2])
        return chunked(rows, columns, int(found[1]), chunk, xcds)
    if found := _HEADS.fullmatch(text):
        return head_first(rows, columns, xcds, live=int(found[1] or 1), causal=bool(found[2]))
    raise UsageError(f"unknown grid order '{text}'", hint="rows, w8c64 (window, chunk), w8call, head4, head4causal")
