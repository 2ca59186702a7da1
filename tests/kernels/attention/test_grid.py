"""Orders of attention's workgroups: the same answers from other workgroups, whole key heads to an XCD."""

from __future__ import annotations

import numpy as np
import pytest
from support.attention_runs import run_attention

from hkasm.errors import UsageError
from hkasm.grids.planner import plan
from hkasm.kernels import get_kernel
from hkasm.model.chips import get_chip

SHAPE: dict[str, int | str] = {"d": 64, "hq": 6, "hkv": 3, "batch": 2, "q": 300, "kv": 130}


@pytest.mark.parametrize(("grid", "mask", "lengths"), [
    ("auto", "full", "equal"), ("auto", "causal", "cu_seqlens"),
    ("head2", "causal", "equal"), ("plain", "causal", "equal"),
])  # fmt: skip
def test_every_order_gives_the_answer(grid: str, mask: str, lengths: str) -> None:
    """Groups of two heads, three key heads: nothing divides by eight."""
    for arch in ("gfx942", "gfx950"):
        _, answer = run_attention(arch, {**SHAPE, "grid": grid, "mask": mask, "lengths": lengths})
        assert all(one.passed for one in answer.check())


def test_a_launch_has_a_workgroup_a_block_of_queries() -> None:
    shape = {"hq": 32, "hkv": 8, "q": 1000, "batch": 3}
    assert get_kernel("attention").problem(**shape).launch().grid == (32 * 4 * 3, 1, 1)
    assert get_kernel("attention").problem(grid="plain", **shape).launch().grid == (32, 4, 3)
    assert get_kernel("attention").problem(schedule="in-step", **shape).launch().grid == (32 * 8 * 3, 1, 1)


def test_an_xcd_has_whole_key_heads_and_begins_with_the_longest_blocks() -> None:
    kernel, chip = get_kernel("attention"), get_chip("mi355x")
    problem = kernel.problem(mask="causal", hq=64, hkv=16, q=4096, kv=4096, batch=2)
    order = plan(chip, kernel.reuse("gfx950", problem, problem), problem.order_name).order
    columns = 4096 // 256 * 4
    assert (order.rows, order.columns) == (32, columns)
    heads: set[int] = set()
    for tiles in order.tiles_by_xcd():
        mine = set((tiles // columns).tolist())
        assert len(mine) == 4
        assert not mine & heads
        heads |= mine
        assert np.all(tiles[: order.window] % columns == columns - 1)


def test_other_orders_are_refused() -> None:
    with pytest.raises(UsageError, match="no such text"):
        get_kernel("attention").problem(grid="head0")
