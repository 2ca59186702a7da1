"""Attention with compute units kept for communication: who does what, where the work goes, what cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.attention_runs import run_attention
from support.communication import count_themselves, take_much_room

from hkasm.errors import UsageError
from hkasm.kernels import get_kernel
from hkasm.kernels.attention import AttentionConfig
from hkasm.model.chips import get_chip

KERNEL = get_kernel("attention")
SHAPE: dict[str, int | str] = {"d": 64, "hq": 6, "hkv": 3, "batch": 2, "q": 300, "kv": 130}
UNEQUAL = "mi355x-32:32:32:16"


@pytest.mark.parametrize(("arch", "case"), [
    ("gfx950", {"chip": UNEQUAL, "mask": "causal", "reserve": 2}),
    ("gfx950", {"chip": "mi355x-32:32:16", "mask": "causal", "reserve": 15, "lengths": "cu_seqlens", "hkv": 6}),
    ("gfx950", {"reserve": 1, "grid": "head2", "layout": "bhsd", "gap": 8}),
    ("gfx950", {"chip": "mi355x-cpx", "reserve": 31, "mask": "window", "window": 70, "batch": 1, "dtype": "f16"}),
    ("gfx942", {"chip": "mi300x-38:38:19:38:7", "reserve": 3, "hq": 4, "hkv": 1, "batch": 3}),
    ("gfx942", {"reserve": 5, "mask": "causal", "lengths": "cu_seqlens", "d": 72, "schedule": "in-step"}),
    ("gfx942", {"chip": "mi300x-qpx", "weights": "3:1", "reserve": 1, "d": 256, "hq": 2, "hkv": 1}),
])  # fmt: skip
def test_reserved_workgroups_do_what_they_are_told_and_the_others_compute(
    arch: str, case: dict[str, int | str]
) -> None:
    """Fewer workgroups than XCDs have, and more; packed sequences, with blocks that nobody has to compute."""
    _, answer = run_attention(arch, {**SHAPE, **case}, communication=count_themselves)
    assert all(one.passed for one in answer.check())
    problem = answer.problem
    first = problem.reserve * len(get_chip(problem.chip).xcds if problem.chip != "auto" else range(8))
    threads = problem.launch().block[0]
    assert answer.counts.tolist() == [threads] * first + [0] * (answer.counts.size - first)
    assert answer.counts.size == problem.launch().grid[0] >= first + problem.workgroups


def test_communication_may_take_registers_that_attention_holds() -> None:
    """Attention leaves 14 SGPRs of 102; 100 VGPRs are more than it leaves where heads are of 128."""
    case = {**SHAPE, "d": 128, "chip": "mi300x-38:38:38:19", "reserve": 1, "lengths": "cu_seqlens"}
    _, answer = run_attention("gfx942", case, communication=take_much_room)
    assert all(one.passed for one in answer.check())
    assert answer.counts[:4].all()
    # What others ask for is what attention itself takes: no wave more or less shares a compute unit.
    config = AttentionConfig.of(case)
    programs = [
        KERNEL.write("gfx942", one, communication=told)
        for one, told in ((config, take_much_room), (replace(config, reserve=0), None))
    ]
    assert programs[0].vgprs == programs[1].vgprs


def test_what_is_reserved_costs_three_instructions() -> None:
    config = AttentionConfig.of({"chip": UNEQUAL, "mask": "causal"})
    plain = KERNEL.write("gfx950", config)
    kept = KERNEL.write("gfx950", replace(config, reserve=2), communication=lambda k, vectors: None)
    mnemonics = [one.mnemonic for one in kept.instructions]
    assert mnemonics[:3] == ["s_cmp_lt_u32", "s_cbranch_scc1", "s_sub_u32"]
    assert mnemonics[3:-1] == [one.mnemonic for one in plain.instructions]
    assert mnemonics[-1] == "s_endpgm"
    assert KERNEL.grid_rule_of(kept)[0] == "8 + 4 * the largest share"
    even = replace(config, chip="auto", reserve=2)
    rule = KERNEL.grid_rule_of(KERNEL.write("gfx950", even, communication=lambda k, vectors: None))
    assert rule[0] == "16 + ceil(q / 256) * hq * batch"


CHIPS = ("auto", "mi355x-cpx", UNEQUAL, "mi355x-32:32:32:32:32:32:32:16", "mi300x-38:38:19:38:17")


@given(
    chip=st.sampled_from(CHIPS), reserve=st.integers(1, 14), hkv=st.integers(1, 12), group=st.integers(1, 4),
    batch=st.integers(1, 5), q=st.integers(1, 5000), mask=st.sampled_from(["full", "causal"]),
)  # fmt: skip
def test_every_block_is_computed_once_by_what_is_left(
    chip: str, reserve: int, hkv: int, group: int, batch: int, q: int, mask: str
) -> None:
    """Behind the reserved workgroups each block is some workgroup's, and each XCD has a share by its CUs."""
    problem = KERNEL.problem(
        chip=chip, reserve=reserve, hkv=hkv, hq=hkv * group, batch=batch, q=q, kv=256, d=64, mask=mask
    )
    found, device = problem.plan(), get_chip("mi355x" if chip == "auto" else chip)
    order, left = found.order, [xcd.cus - reserve for xcd in device.xcds]
    assert (found.reserved, found.chip.cus, [xcd.workers for xcd in found.chip.xcds]) == (reserve, sum(left), left)
    assert problem.launch().grid == (order.workgroups, 1, 1)
    row, column = order.tiles(range(order.workgroups))
    first = reserve * len(left)
    assert (row[:first] < 0).all()
    blocks = np.stack([row, column], 1)[row >= 0]
    assert len(blocks) == len(np.unique(blocks, axis=0)) == problem.workgroups == order.rows * order.columns
    assert problem.first_workgroup == int(np.argmax(row >= 0)) >= first
    shares = np.array([len(tiles) for tiles in order.tiles_by_xcd()])
    assert np.abs(shares - problem.workgroups * np.array(left) / sum(left)).max() < 1


@pytest.mark.parametrize(("values", "text", "hint"), [
    ({"reserve": 2}, "attention: reserve=2: workgroups that compute would take", "give AttentionKernel.write"),
    ({"reserve": 2, "grid": "plain"}, "grid=plain with reserve=2: all of its workgroups compute", "another grid"),
    ({"reserve": 38}, "0 to 37", ""),
])  # fmt: skip
def test_what_nobody_can_keep_is_refused(values: dict[str, object], text: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        KERNEL.build("gfx950", **values)
    assert text in str(error.value)
    assert hint in str(error.value.hint)


@pytest.mark.parametrize(("values", "text", "hint"), [
    ({}, "attention: reserve=0 has no workgroups that communicate", "reserve=1 or more"),
    ({"reserve": 32}, "mi355x: 32 reserved CUs a die leave none to compute", "None"),
    ({"reserve": 16, "chip": UNEQUAL}, f"{UNEQUAL}: 16 reserved CUs a die leave none", "None"),
])  # fmt: skip
def test_what_the_device_has_not_is_not_kept(values: dict[str, object], text: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        KERNEL.write("gfx950", AttentionConfig.of(values), communication=count_themselves)
    assert text in str(error.value)
    assert hint in str(error.value.hint)


def test_a_label_keeps_what_is_reserved() -> None:
    problem = KERNEL.problem(chip=UNEQUAL, reserve=3, hq=8, hkv=2)
    assert "reserve=3" in problem.label
    assert type(problem).from_label(problem.label) == problem
