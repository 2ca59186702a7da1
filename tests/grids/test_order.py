"""Orders are bijections with even shares, for any counts, and the emitted code agrees with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.orders import emulated, launch_shares, machine, random_cases

from hkasm.asm.builder import Builder
from hkasm.errors import UsageError
from hkasm.grids.emit import emit_order, emit_reserved, emit_shares
from hkasm.grids.order import Order, chunked, divisor, head_first, parse_order, row_major, weighted

SIDES = st.integers(1, 70)
DIES = st.integers(1, 16)


def covers_once(order: Order) -> bool:
    row, column = order.tiles(np.arange(order.workgroups))
    tiles = (row * order.columns + column)[row >= 0]
    return np.array_equal(np.sort(tiles), np.arange(order.count))


@given(rows=SIDES, columns=SIDES, xcds=DIES, window=st.integers(1, 80), chunk=st.integers(0, 600), back=st.booleans())
def test_every_tile_has_one_workgroup_and_xcds_differ_by_one(
    rows: int, columns: int, xcds: int, window: int, chunk: int, back: bool
) -> None:
    order = Order(rows, columns, xcds, window, chunk, back)
    assert covers_once(order)
    shares = [len(ranks) for ranks in order.ranks_by_xcd()]
    assert max(shares) - min(shares) <= 1


@given(rows=SIDES, columns=SIDES, data=st.data())
def test_weighted_shares_cover_once_in_proportion(rows: int, columns: int, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.floats(0.05, 4.0), min_size=1, max_size=16).map(tuple))
    order = weighted(Order(rows, columns, len(weights), data.draw(st.integers(1, 9)), 0), weights)
    assert covers_once(order)
    assert order.how == "padded"
    for share, weight in zip(order.shares, weights, strict=True):
        assert abs(share - order.count * weight / sum(weights)) < 1
    assert [len(ranks) for ranks in order.ranks_by_xcd()] == list(order.shares)


@given(rows=SIDES, columns=SIDES, xcds=DIES, reserved=st.integers(1, 40))
def test_reserved_workgroups_come_first_and_compute_nothing(rows: int, columns: int, xcds: int, reserved: int) -> None:
    order = Order(rows, columns, xcds, 4, 8, reserved=reserved)
    assert covers_once(order)
    row, _ = order.tiles(np.arange(order.workgroups))
    assert (row[: reserved * xcds] < 0).all()
    assert (row[reserved * xcds :] >= 0).all()


def test_row_major_is_the_identity() -> None:
    order = row_major(7, 57)
    row, column = order.tiles(np.arange(7 * 57))
    assert np.array_equal(row * 57 + column, np.arange(7 * 57))


def test_chunked_is_the_published_order_inside_whole_cycles() -> None:
    """HipKittens' algorithm 1, written out, for a count that is a multiple of 8 C and whole windows."""
    rows, columns, w, c = 16, 32, 4, 16
    for group in range(rows * columns):
        x, q = group % 8, group // 8
        g = q // c * 8 * c + x * c + q % c
        band, inside = divmod(g, w * columns)
        assert chunked(rows, columns, w, c).tile(group) == (band * w + inside % w, inside // w)


def test_a_chunk_beyond_an_xcds_share_is_one_contiguous_range_an_xcd() -> None:
    """57 x 76 tiles with W8/C542 is a row of HipKittens' table 4; 8 x 542 exceeds the 4332 tiles."""
    order = chunked(76, 57, 8, 542)
    assert covers_once(order)
    for ranks in order.ranks_by_xcd():
        assert np.array_equal(ranks, np.arange(ranks[0], ranks[0] + len(ranks)))


@given(batch=st.integers(1, 3), heads=st.integers(1, 33), blocks=st.integers(1, 40), xcds=DIES)
def test_head_first_gives_an_xcd_consecutive_heads(batch: int, heads: int, blocks: int, xcds: int) -> None:
    order = head_first(batch * heads, blocks, xcds)
    assert covers_once(order)
    for ranks in order.ranks_by_xcd():
        if len(ranks):
            touched = np.unique(ranks // blocks)
            assert len(touched) <= -(-len(ranks) // blocks) + 1
            assert np.array_equal(touched, np.arange(touched[0], touched[-1] + 1))


def test_causal_head_first_starts_with_the_longest_blocks() -> None:
    order = head_first(16, 10, 8, live=2, causal=True)
    row, column = order.tiles(np.arange(0, order.count, 8))
    assert row.tolist() == [0, 1] * 10
    assert column.tolist() == [b for b in reversed(range(10)) for _ in (0, 1)]


@given(n=st.integers(0, (1 << 31) - 1), d=st.integers(1, (1 << 31) - 1))
def test_magic_numbers_divide(n: int, d: int) -> None:
    magic, shift = divisor(d)
    assert magic < 1 << 32
    for value in {n, n // d * d, max(n // d * d - 1, 0), (1 << 31) - 1}:
        assert (2 * value * magic >> 32) >> shift == value // d


@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize("xcds", range(1, 17))
def test_the_emitted_code_finds_the_same_tiles(xcds: int, unequal: bool) -> None:
    random, back = np.random.default_rng(xcds), xcds % 3 == 0
    orders, asked = random_cases(random, 200, xcds, back, unequal=unequal)
    want = [order.tile(int(w)) or (-1, -1) for order, w in zip(orders, asked, strict=True)]
    assert emulated(machine(xcds, back, unequal=unequal), orders, asked).tolist() == [list(tile) for tile in want]
    assert not unequal or xcds == 1 or (-1, -1) in want


@pytest.mark.parametrize("weights", [(1.0, 0.5, 1.0, 1.0), (1.0,) * 7 + (0.5,), (0.1, 2.0, 1.3)])
def test_the_emitted_code_keeps_unequal_shares_and_reserved_workgroups(weights: tuple[float, ...]) -> None:
    order = replace(weighted(Order(11, 9, len(weights), 3, 0), weights), reserved=2)
    row, column = order.tiles(np.arange(order.workgroups))
    found = launch_shares(order)
    assert np.array_equal(found[:, 0], np.where(row < 0, 7, row))
    assert np.array_equal(found[:, 1], np.where(row < 0, 7, column))


@pytest.mark.parametrize("xcds", range(1, 17))
def test_an_order_is_at_most_32_scalar_instructions(xcds: int) -> None:
    k = Builder("gfx950", "order")
    row, column, w = k.sgpr("row"), k.sgpr("column"), k.sgpr("w")
    emit_order(k, w, k.sgpr("n", 16), row, column, k.sgpr("t", 4), xcds=xcds, longest_first=True)
    k.s_endpgm()
    body = k.finish().instructions[:-1]
    assert all(inst.spec.unit == "SALU" for inst in body)
    assert len(body) <= 32


@pytest.mark.parametrize("xcds", range(1, 17))
def test_shares_and_reserved_workgroups_take_no_more_than_equal_ones(xcds: int) -> None:
    k = Builder("gfx950", "order")
    row, column, w, end = k.sgpr("row"), k.sgpr("column"), k.sgpr("w"), k.label("end")
    emit_reserved(k, w, 2, end, xcds=xcds)
    emit_shares(k, w, k.kernarg, k.sgpr("n", 16), row, column, k.sgpr("t", 4), end, offset=200, xcds=xcds)
    k.place(end)
    k.s_endpgm()
    assert len(k.finish().instructions) - 1 <= 32


@settings(max_examples=30)
@given(rows=SIDES, columns=SIDES)
def test_names_are_read(rows: int, columns: int) -> None:
    assert parse_order("rows", rows, columns) == row_major(rows, columns)
    assert parse_order("w8c64", rows, columns) == chunked(rows, columns, 8, 64)
    assert parse_order("w4call", rows, columns) == parse_order("w4", rows, columns) == chunked(rows, columns, 4, 0)
    assert parse_order("head2causal", rows, columns) == head_first(rows, columns, live=2, causal=True)


@pytest.mark.parametrize("text", ["", "w", "w0c4", "c64", "w8c", "headc", "rows8", "w8c0", "auto "])
def test_other_names_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="unknown grid order"):
        parse_order(text, 4, 4)


def test_shares_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(UsageError, match="do not add up to 6 tiles"):
        Order(2, 3, 2, shares=(3, 4))
