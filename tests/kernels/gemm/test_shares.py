"""Shares of all K steps: every step once, parts where the sum looks for them, divisions without divisors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hkasm.errors import UsageError
from hkasm.grids.order import NUMBER_NAMES, RANK_NUMBERS, Order, chunked
from hkasm.kernels.gemm.shares import Shares

counts = st.integers(1, 12)


@given(counts, counts, st.integers(1, 3), st.integers(1, 40), st.integers(1, 50))
def test_every_k_step_is_computed_once_and_every_part_has_its_slot(
    rows: int, columns: int, products: int, steps: int, workers: int
) -> None:
    shares = Shares(rows, columns, products, steps, workers)
    assert 1 <= shares.workgroups <= workers
    done: dict[int, list[tuple[int, int, int]]] = {}
    for workgroup in range(shares.workgroups):
        segments = shares.segments(workgroup)
        assert segments
        assert sum(count for _, _, count in segments) <= shares.share
        for tile, first, count in segments:
            done.setdefault(tile, []).append((first, count, shares.slot_of(tile, workgroup)))
    assert sorted(done) == list(range(shares.tiles))
    slots = []
    for tile, segments in done.items():
        place = 0
        for first, count, _ in segments:
            assert first == place
            place += count
        assert place == steps
        wanted = [slot for _, _, slot in segments] if len(segments) > 1 else []
        assert shares.parts(tile) == wanted
        slots += wanted
    assert slots == list(range(shares.slots))  # in the order of K, and no room for more
    split = [tile for tile in range(shares.tiles) if shares.parts(tile)]
    assert len(split) == shares.split_tiles
    assert [shares.split_before(tile) for tile in split] == list(range(shares.split_tiles))


@given(st.integers(1, 1 << 14), st.integers(1, 1 << 14), st.integers(1, 300), st.data())
def test_numbers_divide_units(steps: int, tiles: int, workers: int, data: st.DataObject) -> None:
    shares = Shares(1, tiles, 1, steps, workers)
    numbers = shares.numbers()
    unit = data.draw(st.integers(0, shares.units - 1))
    for name in ("share", "steps", "tiles", "columns", "meets"):
        quotient = (2 * unit * numbers[f"{name}_magic"] >> 32) >> numbers[f"{name}_shift"]
        assert quotient == unit // numbers[name]
        assert numbers[f"{name}_magic"] < 1 << 32


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 40), st.integers(1, 300), st.integers(1, 8), st.data())
def test_an_order_deals_every_share_to_one_workgroup(
    rows: int, columns: int, steps: int, workers: int, xcds: int, data: st.DataObject
) -> None:
    shares = Shares(rows, columns, 1, steps, workers)
    window, chunk = data.draw(st.integers(1, 8)), data.draw(st.integers(0, 64))
    order = chunked(rows, columns, window, chunk, xcds)
    numbers = shares.dealt(order)
    dealt = next(
        one
        for c in range(shares.workgroups + 1)
        if {name: (one := Order(1, shares.workgroups, xcds, chunk=c)).numbers()[name] for name in RANK_NUMBERS}.items()
        <= numbers.items()
    )
    assert sorted(dealt.ranks(range(shares.workgroups))) == list(range(shares.workgroups))
    assert {name: numbers[name] for name in NUMBER_NAMES[7:]} == {
        name: order.numbers()[name] for name in NUMBER_NAMES[7:]
    }
    # A chunk has as many K steps as the order's, to a share, but for one that is all of an XCD's share.
    if dealt.chunk:
        assert abs(dealt.chunk * shares.share - chunk * steps) <= max(shares.share, steps)


def test_too_many_k_steps_are_refused() -> None:
    with pytest.raises(UsageError, match=r"work=stream: 4294967296 K steps of all tiles\n  hint: at most 268435456"):
        Shares(1 << 10, 1 << 10, 1, 1 << 12, 256)
