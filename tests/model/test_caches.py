"""The cache model against published counters: HipKittens' table 4, AMD's Gluon tutorials, head-first attention."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from hkasm.grids.order import Order, chunked, head_first, parse_order, row_major
from hkasm.grids.reuse import Clusters, Rectangle, Stream
from hkasm.model.caches import Traffic, estimate, simulate
from hkasm.model.chips import get_chip

MI355X, MI300X = get_chip("mi355x"), get_chip("mi300x")
TABLE_4 = Rectangle(9216 // 192, 9216 // 256, 9216 // 64, 192 * 128, 256 * 128)
"""9216^3 in bf16 with a 192 x 256 x 64 tile."""
ROWS = {"rows": (55, 95, 15.1), "w7c216": (79, 24, 14.9), "w5c25": (75, 93, 18.3)}
"""L2 and LLC hit rate in percent, effective TB/s; the drift is fitted to the first and third row."""
GLUON = Rectangle(16, 16, 128, 256 * 128, 256 * 128)
"""4096 x 4096 x 8192 with a 256 x 256 x 64 tile: one round."""


@cache
def simulated(order: Order, reuse: Rectangle | Stream, **options: float) -> Traffic:
    return simulate(MI355X, reuse.streams(), order.tiles_by_xcd(), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ROWS)
def test_table_4_at_9216(name: str) -> None:
    l2, llc, bandwidth = ROWS[name]
    traffic = simulated(parse_order(name, *TABLE_4.shape), TABLE_4)
    assert abs(100 * traffic.l2_hit - l2) <= 6
    assert abs(100 * traffic.llc_hit - llc) <= 8
    assert traffic.bandwidth(MI355X) / 1e12 == pytest.approx(bandwidth, rel=0.06)


def test_table_4_is_ranked_as_measured() -> None:
    bandwidth = {
        name: estimate(MI355X, TABLE_4.streams(), parse_order(name, *TABLE_4.shape).tiles_by_xcd()).bandwidth(MI355X)
        for name in ROWS
    }
    assert bandwidth["w5c25"] > bandwidth["rows"] > bandwidth["w7c216"]


@pytest.mark.parametrize(("window", "chunk", "ideal"), [(1, 1, 71.9), (1, 0, 71.9), (4, 0, 81.25), (8, 0, 81.25)])
def test_lock_step_is_the_first_touch_bound(window: int, chunk: int, ideal: float) -> None:
    """18 or 12 strips an XCD are fetched where 64 are asked for; the tutorials measure 68.5, 63.8, 75.6, 74.0 %."""
    order = chunked(16, 16, window, chunk)
    traffic = simulated(order, GLUON, drift=0.0)
    assert traffic.requested == 16_777_216 * 128
    assert 100 * traffic.l2_hit == pytest.approx(ideal, abs=0.05)
    asked, fetched = traffic.counters["TCP_TCC_READ_REQ_sum"], traffic.counters["TCC_EA0_RDREQ_sum"]
    assert asked == 16_777_216
    assert 100 * (1 - fetched / asked) == pytest.approx(ideal, abs=0.05)
    assert 100 * simulated(order, GLUON).l2_hit <= ideal + 0.05


def test_requests_for_a_block_that_is_on_its_way_are_merged() -> None:
    traffic = simulated(row_major(16, 16), GLUON, drift=0.0)
    assert traffic.l2_tag_hit < 0.01  # in lock step all sharers ask at once
    assert simulated(row_major(16, 16), GLUON, drift=0.05).l2_tag_hit > 0.4


def test_sets_and_ways_act_like_one_pool_when_addresses_are_hashed() -> None:
    order, reuse = parse_order("w5c25", 12, 36), Rectangle(12, 36, 96, 192 * 128, 256 * 128)
    whole = simulate(MI355X, reuse.streams(), order.tiles_by_xcd(), drift=0.03)
    sets = simulate(MI355X, reuse.streams(), order.tiles_by_xcd(), drift=0.03, sample_sets=64)
    assert sets.l2_hit == pytest.approx(whole.l2_hit, abs=0.02)


@pytest.mark.parametrize(("name", "tiles"), [("rows", 48), ("w7c216", 48), ("w8c32", 48), ("w4call", 20)])
def test_the_estimate_is_near_the_simulation(name: str, tiles: int) -> None:
    reuse = Rectangle(tiles, 36, 144, 192 * 128, 256 * 128)
    order = parse_order(name, *reuse.shape)
    found = estimate(MI355X, reuse.streams(), order.tiles_by_xcd())
    traffic = simulated(order, reuse)
    assert found.requested == traffic.requested
    assert found.l2_hit == pytest.approx(traffic.l2_hit, abs=0.06)
    assert found.llc_hit == pytest.approx(traffic.llc_hit, abs=0.06)


def test_streams_have_no_hits() -> None:
    traffic = simulated(row_major(1, 512), Stream(512, 20, 4096))
    assert traffic.l2_hit == 0
    assert traffic.llc_missed == traffic.requested == 512 * 20 * 4096


def attention(order: str, heads: int, blocks: int, steps: int) -> Traffic:
    """Run FlashAttention-2's grid on MI300X: 64 keys a step, d = 128, bf16: 32 KB of K and V; one head a cluster."""
    reuse = Clusters(heads, blocks, steps, 2 * 64 * 128 * 2)
    if order == "head first":
        by_xcd = head_first(heads, blocks).tiles_by_xcd()
    else:  # block first: neighbours compute different heads
        by_xcd = [tile % heads * blocks + tile // heads for tile in row_major(blocks, heads).tiles_by_xcd()]
    return simulate(MI300X, reuse.streams(), by_xcd, max_rounds=2)


def test_head_first_against_block_first() -> None:
    """Swizzled head-first, arXiv 2511.02132: 90 to 96 % against about 1 % at 128 heads, 128 K keys.

    Cut to 512 steps a block. Block-first keeps a tenth of that paper's misses here: its collapse is not all drift.
    """
    ours, theirs = attention("head first", 128, 32, 512), attention("block first", 128, 32, 512)
    assert ours.l2_hit >= 0.9
    assert theirs.l2_hit < 0.3
    assert ours.llc_missed / theirs.llc_missed <= 0.25 or ours.l2_missed / theirs.l2_missed <= 0.25


def test_lists_longer_than_the_rounds_are_scaled() -> None:
    reuse = Rectangle(32, 64, 10, 4096, 4096)
    order = row_major(32, 64)
    part = simulated(order, reuse, max_rounds=2)
    assert part.simulated == pytest.approx(2 / 8)
    assert part.requested == 32 * 64 * 10 * 8192
    assert np.isclose(part.makespan, 80, rtol=0.1)
