"""The planner: its choices beat the published ones by its own measure, and unequal dies end together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hkasm.errors import UsageError
from hkasm.grids.planner import Dealing, plan
from hkasm.grids.reuse import Clusters, Rectangle, Stream
from hkasm.kernels import get_kernel
from hkasm.model.caches import estimate, simulate
from hkasm.model.chips import get_chip

MI355X = get_chip("mi355x")
TABLE_4 = Rectangle(48, 36, 144, 192 * 128, 256 * 128)


@pytest.mark.parametrize("reuse", [TABLE_4, Rectangle(32, 32, 128, 32768, 32768), Rectangle(57, 76, 100, 32768, 24576)])
def test_the_choice_is_at_least_as_good_as_published_ones(reuse: Rectangle) -> None:
    chosen = plan(MI355X, reuse)
    for name in ("rows", "w5c25", "w7c216", "w8c64"):
        assert chosen.traffic.bandwidth * 1.01 >= plan(MI355X, reuse, name).traffic.bandwidth


def test_a_choice_holds_in_the_simulation() -> None:
    order = plan(MI355X, TABLE_4).order
    found = simulate(MI355X, TABLE_4.streams(), order.tiles_by_xcd())
    assert found.bandwidth > 18.3e12  # W5/C25, the best that is published


def test_plain_order_where_nothing_is_shared_or_one_tile_is_all() -> None:
    assert plan(MI355X, Stream(1000, 4, 4096)).order.name == "rows"
    assert plan(MI355X, Rectangle(1, 1, 4, 4096, 4096)).order.name == "rows"


@pytest.mark.parametrize("cus", [16, 20, 31])
def test_a_smaller_die_gets_a_smaller_share(cus: int) -> None:
    """64 heads with one die of half the CUs and half the L2: an even split takes 1.8 times as long."""
    chip = MI355X.harvest(7, cus, 2 << 20)
    reuse = Clusters(64, 64, 32, 32768)
    found = plan(chip, reuse)
    assert found.how == "padded"
    traffic = simulate(chip, reuse.streams(), found.order.tiles_by_xcd())
    assert traffic.balance <= 1.15
    assert min(traffic.finish) / max(traffic.finish) >= 0.85
    even = estimate(chip, reuse.streams(), plan(MI355X, reuse).order.tiles_by_xcd())
    assert cus > 20 or even.balance > 1.4


@pytest.mark.parametrize(("kernel", "values"), [
    ("gemm", {"m": 16384, "n": 16384, "k": 4096, "tile": "256x256"}),
    ("gemm", {"m": 16384, "n": 16384, "k": 4096, "tile": "256x256", "work": "tickets"}),
    ("attention", {"batch": 16, "hq": 64, "hkv": 8, "q": 4096, "kv": 4096}),
    ("attention", {"batch": 16, "hq": 64, "hkv": 8, "q": 4096, "kv": 4096, "mask": "causal"}),
])  # fmt: skip
def test_kernels_share_with_one_half_size_die(kernel: str, values: dict[str, object]) -> None:
    """Issue 9: with one XCD of half the size the makespan is at most 1.15 of the lower bound; even shares are not."""
    found = get_kernel(kernel).problem(chip="mi355x-32:32:32:32:32:32:32:16", **values).plan()
    assert found.traffic.balance <= 1.15
    assert found.how == ("tickets" if "work" in values else "padded")
    even = get_kernel(kernel).problem(chip="mi355x-32:32:32:32:32:32:32:16", weights="even", **values).plan()
    assert even.traffic.balance > 1.4


def test_causal_attention_starts_with_the_longest() -> None:
    reuse = Clusters(64, 32, 64, 32768, causal=True)
    chosen = plan(MI355X, reuse)
    assert chosen.order.longest_first
    plain = estimate(MI355X, reuse.streams(), plan(MI355X, reuse, "head1").order.tiles_by_xcd())
    assert chosen.traffic.makespan < plain.makespan
    assert chosen.traffic.balance < 1.1


@settings(max_examples=15, deadline=None)
@given(reserved=st.integers(1, 16), rows=st.integers(1, 40))
def test_reserved_cus_take_no_tiles(reserved: int, rows: int) -> None:
    found = plan(MI355X, Rectangle(rows, 17, 8, 4096, 4096), dealing=Dealing(reserved=reserved))
    assert found.order.workgroups == rows * 17 + 8 * reserved
    assert sum(len(tiles) for tiles in found.order.tiles_by_xcd()) == rows * 17


def test_partitions_change_the_number_of_dies() -> None:
    assert plan(get_chip("mi355x-cpx"), TABLE_4).order.xcds == 1


def test_a_wrong_name_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown grid order 'best'"):
        plan(MI355X, TABLE_4, "best")
