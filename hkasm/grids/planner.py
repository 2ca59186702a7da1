"""Choosing an order: the cache model ranks a few for a chip and what the tiles share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from hkasm.errors import UsageError
from hkasm.grids.order import Order, chunked, head_first, parse_order, row_major, weighted
from hkasm.grids.reuse import Clusters, Rectangle, Reuse
from hkasm.model.caches import Traffic, estimate
from hkasm.model.chips import Chip

__all__ = ["BY_CUS", "Dealing", "Plan", "choose", "plan"]

WINDOWS = (2, 4, 6, 8, 12, 16)
CHUNKS = (32, 64, 256, 0)
PREFERRED = (8, 64)
"""Taken where the model sees no difference: HipKittens' choice for 4096^3 and 8192^3, whose sweep of W at 8192^3
measures 1114 TFLOPS for 8 and 1109 for 4, which the model holds to be equal too."""
LIVE_HEADS = (1, 2, 4, 8)
WORTH = 1.01
"""An order has to bring this much more than the one before it."""
MANY_TILES = 1 << 19
"""Tiles beyond which the cache model is not asked: the grid runs for rounds without end, each like the last."""
BALANCED = 1.02
"""Makespans this close are equal; then hits decide (AMD's dense-attention study: balance first, hit rate second)."""


@dataclass(frozen=True)
class Dealing:
    """How tiles are dealt to XCDs.

    XCDs get shares in proportion to `weights`, by default to the CUs of each that compute. `tickets` says that
    workgroups stay and take tile after tile, each XCD from one range of ranks. `reserved` CUs of every XCD are for
    communication: as many workgroups come first, or with tickets so many fewer stay.
    """

    weights: tuple[float, ...] = ()
    tickets: bool = False
    reserved: int = 0


BY_CUS = Dealing()
"""As many tiles a CU, all CUs computing."""


@dataclass(frozen=True)
class Plan:
    """An order, what the cache model expects of it, and the names and bandwidths of all that were considered.

    `chip` is the device without the CUs that are kept for communication. `how` says how XCDs get their shares:
    ``even``, ``padded`` (`Order.how`), or ``tickets`` (workgroups that stay, `hkasm.grids.tickets`).
    """

    chip: Chip
    reuse: Reuse
    order: Order
    traffic: Traffic
    considered: tuple[tuple[str, float], ...]
    how: str

    @property
    def reserved(self) -> int:
        """Return the CUs of every XCD that are kept for communication."""
        return self.chip.xcds[0].reserved

    @property
    def shares(self) -> tuple[int, ...] | None:
        """Return the tiles of each XCD; None where any XCD takes the next tile (tickets)."""
        return None if self.how == "tickets" else tuple(map(len, self.order.ranks_by_xcd()))


def choose(chip: Chip, reuse: Reuse, name: str = "auto", dealing: Dealing = BY_CUS) -> Order:
    """Return the order called `name`, or the one that `plan` takes; the first candidate where there are many tiles."""
    rows, columns = reuse.shape
    if name == "auto" and rows * columns <= MANY_TILES:
        return plan(chip, reuse, name, dealing).order
    return _orders(chip.reserve(dealing.reserved), reuse, name, dealing)[0]


@lru_cache(maxsize=4096)
def plan(chip: Chip, reuse: Reuse, name: str = "auto", dealing: Dealing = BY_CUS) -> Plan:
    """Choose the order of a grid on a chip, or take the one called `name`.

    Every order is a bijection by construction (`hkasm.grids.order`), so that a choice can only be slow, never wrong.

    Raises:
        UsageError: no such order, more tiles than the cache model looks at, or not one weight an XCD.
    """
    rows, columns = reuse.shape
    if rows * columns > MANY_TILES:
        raise UsageError(f"{rows} x {columns} tiles: the cache model looks at {MANY_TILES} at most")
    used = chip.reserve(dealing.reserved)
    streams = reuse.streams()
    orders = _orders(used, reuse, name, dealing)
    found = [(order, estimate(used, streams, order.tiles_by_xcd())) for order in orders]
    best = found[0]
    for one in found[1:]:
        if _is_better(one[1], best[1]):
            best = one
    considered = tuple((order.name, traffic.bandwidth) for order, traffic in found)
    return Plan(used, reuse, *best, considered, "tickets" if dealing.tickets else best[0].how)


def _orders(chip: Chip, reuse: Reuse, name: str, dealing: Dealing) -> list[Order]:
    """Return the orders to choose from, with their shares."""
    rows, columns = reuse.shape
    xcds = len(chip.xcds)
    orders = _candidates(reuse, xcds) if name == "auto" else [parse_order(name, rows, columns, xcds)]
    weights = dealing.weights or tuple(xcd.share for xcd in chip.xcds)
    if dealing.tickets:
        # A range of ranks an XCD: chunks are no more, and orders that differ in them alone are one.
        return list(dict.fromkeys(weighted(order, weights) for order in orders))
    if len(set(weights)) > 1:
        orders = list(dict.fromkeys(weighted(order, weights) for order in orders))
    return [replace(order, reserved=dealing.reserved) for order in orders]


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


def _is_better(one: Traffic, other: Traffic) -> bool:
    if one.makespan * BALANCED < other.makespan:
        return True
    if one.makespan > other.makespan * BALANCED:
        return False
    return one.bandwidth > other.bandwidth * WORTH
