"""Tickets: every tile once, whatever number of workgroups there is, wherever they run, however XCDs are weighted."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from support.orders import take_tickets, ticket_machine

from hkasm.errors import UsageError
from hkasm.grids.order import Order, weighted
from hkasm.grids.tickets import ticket_numbers

EMULATED_XCDS = 8
"""On the emulator workgroup w runs on XCC w mod 8."""


@pytest.mark.parametrize(
    ("arch", "xcds", "waves"), [("gfx950", 8, 4), ("gfx942", 8, 1), ("gfx950", 5, 2), ("gfx942", 16, 8)]
)
def test_every_rank_is_taken_once_by_any_number_of_workgroups(arch: str, xcds: int, waves: int) -> None:
    """XCC ids beyond the shares count as the first XCD; shares of XCDs on which nobody runs are taken by others."""
    random = np.random.default_rng(xcds)
    run = ticket_machine(arch, xcds, waves)
    for _ in range(6):
        rows, columns, workgroups = (int(n) for n in random.integers(1, (12, 12, 30)))
        order = Order(rows, columns, xcds, int(random.integers(1, 5)), 0)
        if random.random() < 0.7:
            order = weighted(order, tuple(random.uniform(0.05, 1, xcds)))
        counts, _, renewed = take_tickets(run, order, workgroups, waves, launches=2)
        assert (counts == 2 * waves).all(), (order, workgroups)
        assert renewed, (order, workgroups)


def test_workgroups_take_their_own_share_first() -> None:
    """Seven whole XCDs and one of half the size: each computes its contiguous ranks, others only the last of them."""
    order = weighted(Order(30, 10, 8, 4, 0), (1.0,) * 7 + (0.5,))
    _, takers, _ = take_tickets(ticket_machine("gfx950", 8, 1), order, 8, 1)
    own = np.repeat(np.arange(8), order.shares)
    assert (takers == own).mean() > 0.8
    assert (takers[np.cumsum(order.shares) - order.shares] == np.arange(8)).all()


def test_numbers_say_shares_and_workgroups() -> None:
    assert ticket_numbers(weighted(Order(3, 7, 4), (2, 1, 1, 1)), 6) == [0, 9, 9, 4, 13, 4, 17, 4, 6]
    assert ticket_numbers(Order(3, 7, 4, chunk=2), 6) == [0, 6, 6, 5, 11, 5, 16, 5, 6]


def finish(order: Order, workers: list[int]) -> float:
    """Return when the last tile ends, of tiles of one length, over the least time, where workgroups take tickets."""
    left = list(order.shares) or [order.count // order.xcds + (x < order.count % order.xcds) for x in range(order.xcds)]
    free = [(0.0, x, x) for x, count in enumerate(workers) for _ in range(count)]
    end = 0.0
    while free:
        now, home, die = heapq.heappop(free)
        tried = 0
        while not left[die] and tried < order.xcds:
            die, tried = (die + 1) % order.xcds, tried + 1
        if left[die]:
            left[die] -= 1
            end = max(end, now + 1)
            heapq.heappush(free, (now + 1, home, die))
    return end / (order.count / sum(workers))


@pytest.mark.parametrize("cus", [16, 20, 31])
@pytest.mark.parametrize("weighed", [False, True])
def test_one_smaller_die_costs_little(cus: int, weighed: bool) -> None:
    """Seven XCDs of 32 CUs and a smaller one, 4096 tiles: by tickets even shares that are not in proportion do."""
    workers = [32] * 7 + [cus]
    order = Order(64, 64, 8, 8, 0)
    assert finish(weighted(order, tuple(map(float, workers))) if weighed else order, workers) <= 1.15


def test_no_workgroups_are_refused() -> None:
    with pytest.raises(UsageError, match="0 workgroups take no tickets"):
        ticket_numbers(Order(3, 7, 4), 0)
