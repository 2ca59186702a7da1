"""Orders of attention's workgroups: the same answers from other workgroups, whole key heads to an XCD."""

from __future__ import annotations

import numpy as np
import pytest
from support.attention_runs import run_attention

from hkasm.errors import UsageError
from hkasm.kernels import get_kernel

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
    problem = get_kernel("attention").problem(mask="causal", hq=64, hkv=16, q=4096, kv=4096, batch=2)
    order = problem.plan().order
    columns = 4096 // 256 * 4
    assert (order.rows, order.columns) == (32, columns)
    heads: set[int] = set()
    for tiles in order.tiles_by_xcd():
        mine = set((tiles // columns).tolist())
        assert len(mine) == 4
        assert not mine & heads
        heads |= mine
        assert np.all(tiles[: order.window] % columns == columns - 1)


@pytest.mark.parametrize(("arch", "chip", "mask"), [
    ("gfx950", "mi355x-cpx", "full"), ("gfx942", "mi300x-qpx", "causal"), ("gfx950", "mi355x-32:32:32", "causal"),
    ("gfx950", "mi355x-32:32:32:32:32:32:32:16", "causal"), ("gfx942", "mi300x-38:38:19:38:7", "full"),
])  # fmt: skip
def test_every_device_gives_the_answer(arch: str, chip: str, mask: str) -> None:
    """1, 2, 3 XCDs, and 8 and 5 with unequal shares, which idle workgroups pad; packed sequences of several lengths."""
    _, answer = run_attention(arch, {**SHAPE, "chip": chip, "mask": mask, "lengths": "cu_seqlens"})
    assert all(one.passed for one in answer.check())


def test_the_chip_decides_the_launch() -> None:
    kernel = get_kernel("attention")
    shape = {"hq": 32, "hkv": 8, "q": 1000, "batch": 3}
    whole, small = (kernel.problem(chip=chip, **shape) for chip in ("auto", "mi355x-32:32:32:32:32:32:32:16"))
    assert small.plan().how == "padded"
    assert small.launch().grid[0] == 8 * max(small.plan().order.shares) > whole.launch().grid[0]
    assert small.workgroups == whole.workgroups == 32 * 4 * 3
    assert kernel.problem(chip="mi300x-cpx", **shape).plan().order.xcds == 1
    assert kernel.problem_on("gfx942", shape).plan().chip.name == "mi300x"
    with pytest.raises(UsageError, match="grid=plain deals every XCD as many"):
        kernel.problem(grid="plain", weights="1:1:1:1:1:1:1:2")


def test_other_orders_are_refused() -> None:
    with pytest.raises(UsageError, match="no such text"):
        get_kernel("attention").problem(grid="head0")
