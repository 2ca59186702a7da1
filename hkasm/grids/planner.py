"""Choosing an order: the cache model ranks a few for a chip and what the tiles share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from hkasm.errors import UsageError
from hkasm.grids.order import Order, chunked, head_first, parse_order, row_major, weighted
from hkasm.grids.reuse import Clusters, Rectangle, Reuse
from hkasm.model.caches import Traffic, estimate
from hkasm.model.chips import Chip

__all__ = ["Plan", "choose", "plan"]

WINDOWS = (2, 4, 6, 8, 12, 16)
CHUNKS = (32, 64, 256, 0)
PREFERRED = (8, 64)
"""Taken where the model sees no difference: HipKittens' choice for 4096^3 and 8192^3, whose sweep of W at 8192^3
measures 1114 TFLOPS for 8, 1109 for 4 and 1017 for row-major, which the model holds to be equal."""
LIVE_HEADS = (1, 2, 4, 8)
WORTH = 1.01
"""An order has to bring this much more than the one before it."""
MANY_TILES = 1 << 19
"""Tiles beyond which the cache model is not asked: the grid runs for rounds without end, each like the last."""
BALANCED = 1.02
"""Makespans this close are equal; then hits decide (AMD's dense-attention study: balance first, hit rate second)."""


@dataclass(frozen=True)
class Plan:
    """An order, what the cache model expects of it, and the names and bandwidths of all that were considered."""

    order: Order
    traffic: Traffic
    considered: tuple[tuple[str, float], ...]

    @property
    def how(self) -> str:
        """Return how unequal XCDs get their shares: `even` or `padded`."""
        return self.order.how


def choose(chip: Chip, reuse: Reuse, name: str = "auto") -> Order:
    """Return the order called `name`, or the one that `plan` takes; the first candidate where there are many tiles."""
    rows, columns = reuse.shape
    if name != "auto":
        return parse_order(name, rows, columns, len(chip.xcds))
    return plan(chip, reuse).order if rows * columns <= MANY_TILES else _candidates(reuse, len(chip.xcds))[0]


@lru_cache(maxsize=4096)
def plan(chip: Chip, reuse: Reuse, name: str = "auto", reserved: int = 0) -> Plan:
    """Choose the order of a grid on a chip, or take the one called `name`.

    `reserved` workgroups of every XCD are for communication and take a CU each. Every order is a bijection by
    construction (`hkasm.grids.order`), so that a choice can only be slow, never wrong.

    Raises:
        UsageError: no such order, or more tiles than the cache model looks at.
    """
    chip = chip.reserve(reserved) if reserved else chip
    rows, columns = reuse.shape
    if rows * columns > MANY_TILES:
        raise UsageError(f"{rows} x {columns} tiles: the cache model looks at {MANY_TILES} at most")
    xcds = len(chip.xcds)
    candidates = _candidates(reuse, xcds) if name == "auto" else [parse_order(name, rows, columns, xcds)]
    shares = tuple(xcd.share for xcd in chip.xcds)
    if len(set(shares)) > 1:
        candidates = [weighted(order, shares) for order in candidates]
    streams = reuse.streams()
    found = [(order, estimate(chip, streams, order.tiles_by_xcd())) for order in candidates]
    best = found[0]
    for one in found[1:]:
        if _is_better(chip, one[1], best[1]):
            best = one
    considered = tuple((order.name, traffic.bandwidth(chip)) for order, traffic in found)
    return Plan(replace(best[0], reserved=reserved), best[1], considered)


def _candidates(reuse: Reuse, xcds: int) -> list[Order]:
    rows, columns = reuse.shape
    plain = row_major(rows, columns, xcds)
    if isinstance(reuse, Rectangle):
        pairs = [PREFERRED, *((w, c) for w in WINDOWS for c in CHUNKS if (w, c) != PREFERRED)]
        fitting = [(w, c if c * xcds < rows * columns else 0) for w, c in pairs if w <= rows]
        return [*(chunked(rows, columns, w, c, xcds) for w, c in dict.fromkeys(fitting)), plain]
    if isinstance(reuse, Clusters):
        # More at once than an XCD has would have several XCDs read the same heads.
        live = [n for n in LIVE_HEADS if n <= max(rows // xcds, 1)]
        return [head_first(rows, columns, xcds, live=n, causal=reuse.causal) for n in live]
    return [plain]


def _is_better(chip: Chip, one: Traffic, other: Traffic) -> bool:
    if one.makespan * BALANCED < other.makespan:
        return True
    if one.makespan > other.makespan * BALANCED:
        return False
    return one.bandwidth(chip) > other.bandwidth(chip) * WORTH
