"""Woven schedules: what they plan and refuse, and that they compute the right thing for any number of K steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.tile_gemm import TileGemm

from hkasm.asm.builder import Builder
from hkasm.asm.program import Program
from hkasm.asm.toolchain import Toolchain
from hkasm.errors import RegisterError, ScheduleError
from hkasm.isa.registers import M0, Register
from hkasm.schedules import Phase, Pipeline, RecordedSchedule, Schedule, Step, Steps, get_schedule
from hkasm.schedules.items import Barrier, Wait

WOVEN = ("interleave", "interleave-lean", "interleave-staged")


@cache
def gemm(name: str) -> TileGemm:
    return TileGemm(get_schedule(name))


@pytest.mark.parametrize("name", WOVEN)
@pytest.mark.parametrize("trips", [0, 1, 2, 3, 6])
def test_the_product_is_right_and_the_run_is_clean(name: str, trips: int, toolchain: Toolchain) -> None:
    _, got, want = gemm(name).run(trips)
    assert np.array_equal(got, want)


@pytest.mark.parametrize(("name", "waits", "barriers"), [("interleave", 2, 2), ("interleave-lean", 3, 2)])
def test_a_k_step_has_few_waits_and_barriers_and_no_valu(name: str, waits: int, barriers: int) -> None:
    program = gemm(name).program
    loop = next(mark for mark in program.marks if mark.kind == "loop")
    body = program.instructions[loop.first : loop.last]
    controls = [inst.spec.control for inst in body]
    assert (controls.count("wait"), controls.count("barrier")) == (2 * waits, 2 * barriers)
    units = Counter(inst.spec.unit for inst in body)
    assert [units[name] for name in ("VALU", "MFMA", "LDS", "VMEM")] == [0, 2 * 16, 2 * 8, 2 * 4]


class _Bad(Schedule):
    """A woven order put in by a test."""

    name = "bad-woven"
    woven, depth = True, 2

    def __init__(self, *order: Phase) -> None:
        self.order = order

    def steady(self, k: int) -> Iterator[Phase]:
        yield from self.order


P0, P1, P2, P3 = get_schedule("interleave").phases()


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ((Phase(read=("A1",), fetch=("A0", 2), compute="C00"), P1, P2, Phase(fetch=("A1", 2), compute="C11")),
         "and no phase reads it"),
        ((P0, Phase(read=("B0", ("A0", 1)), fetch=("B0", 2), compute="C01"), P2, Phase(fetch=("A1", 2), compute="C11")),
         "compute 'C00' of phase 0 comes before the read of its step"),
        ((Phase(read=("A1", ("B0", 1)), fetch=("A0", 2), compute="C00"), P1, P2,
          Phase(fetch=("A1", 2), compute="C11")), "overwrites what compute 'C10' of phase 2 takes"),
        ((Phase(read=("A1",), fetch=(("A0", 2), ("B0", 2), ("B1", 2), ("A1", 2)), compute="C00"),
          Phase(read=(("A0", 1),), compute="C01"), Phase(read=(("B1", 1),), compute="C10"),
          Phase(read=(("B0", 1),), compute="C11")), "(?s)overwrites 'A1' too early.*: depth = 3$"),
        ((Phase(read=("A1",), compute="C00"), Phase(read=(("A0", 1),), fetch=("A0", 1), compute="C01"),
          Phase(read=(("B1", 1),), fetch=("B0", 1), compute="C10"),
          Phase(read=(("B0", 1),), fetch=(("B1", 1), ("A1", 1)), compute="C11")), "comes too late: read 'A0'"),
        ((P0, P1, P2, Phase(read=(("B0", 1),), compute="C11")), "nothing fills A1"),
        ((P0, P0, P2, P3), "fetch 'A0' stands twice"),
    ],
)  # fmt: skip
def test_orders_that_cannot_be_lowered_are_refused(order: tuple[Phase, ...], message: str) -> None:
    k, pipeline = gemm("interleave").pipeline
    pipeline = type(pipeline)(_Bad(*order), pipeline.steps, pipeline.advance)
    with pytest.raises(ScheduleError, match=message):
        pipeline.plan(k)


def test_only_woven_schedules_read_ahead() -> None:
    k, pipeline = gemm("interleave").pipeline
    schedule = _Bad(P0, P1, P2, P3)
    schedule.woven = False
    with pytest.raises(ScheduleError, match="read 'A0' works ahead"):
        type(pipeline)(schedule, pipeline.steps, pipeline.advance).plan(k)


def test_waits_stand_at_the_latest_boundary() -> None:
    k, pipeline = gemm("interleave").pipeline
    items = pipeline.plan(k).step(0)
    reasons = [item.reason for item in items if isinstance(item, Wait)]
    assert reasons == ["A1, A0, compute C00", "compute C01", "B1, B0, compute C10", "compute C11"]
    assert [type(item) for item in items[:2]] == [Wait, Barrier]


def test_explicit_slots_place_the_reads() -> None:
    order = (Phase(read=("A1",), fetch=("A0", 2), compute="C00", slots={"read A1": (4, 4)}), P1, P2, P3)
    program = TileGemm(_Bad(*order)).program
    loop = next(mark for mark in program.marks if mark.kind == "loop")
    tags = [inst.tag for inst in program.instructions[loop.first : loop.last]]
    first = tags.index("read A1")
    assert tags[:first].count("compute C00") == 4


def finishing(label: str) -> Schedule:
    """The schedule with each quadrant stored in the phase behind the one that completes it."""
    schedule = get_schedule(label)
    names = ("", "C00", "C01", "C10")
    order = [replace(p, finish=(name,) if name else ()) for p, name in zip(schedule.phases(), names, strict=True)]
    return RecordedSchedule(schedule.as_dict() | {"phases": [phase.as_dict() for phase in order]})


@pytest.mark.parametrize("label", ["interleave", "specialised", "pingpong"])
def test_finish_steps_stand_in_phases_of_the_last_step(label: str, toolchain: Toolchain) -> None:
    gemm = TileGemm(finishing(label))
    for trips in (0, 1, 4):
        _, got, want = gemm.run(trips)
        assert np.array_equal(got, want), trips
    tags = [inst.tag for inst in gemm.program.instructions if inst.tag.startswith(("finish", "compute"))]
    first = tags.index("finish C00")
    assert tags[first - 1] in ("compute C00", "compute C01")
    last = next(i for i, tag in enumerate(tags) if i > first and tag == "compute C11")
    assert "finish C10" in tags[first : last + 60]


def test_costs_are_read_from_the_instructions() -> None:
    k, pipeline = gemm("interleave").pipeline
    costs = pipeline.costs(k)
    found = [costs[name] for name in ("read A1", "compute C00", "fetch A0")]
    assert found == [{"LDS": 2}, {"MFMA": 4}, {"VMEM": 1}]


def large_tile(label: str = "interleave", columns: int = 4) -> Program:
    """The steps of a 256-row bf16 tile on 2x2 waves by their instructions: only what they count is looked at.

    A step is 64 K elements; a wave's tile is 128 rows and 32 `columns` columns, in quadrants.
    """
    schedule = get_schedule(label)
    k = Builder("gfx950", "large", block=512 if schedule.producers else 256)
    accumulators, view = k.agpr("accumulators", 64 * columns), k.sgpr("view", 4)
    trips, cursor, base, late = k.sgpr("trips"), k.sgpr("cursor"), k.sgpr("fetch base"), k.sgpr("late")
    offsets, first = k.vgpr("offsets", 4), k.vgpr("read base")
    sets = {"A0": 2, "A1": 1, "B0": 1, "B1": 2} if label == "interleave" else dict.fromkeys(("A0", "A1", "B0", "B1"), 1)
    sizes = {name: 4 if name[0] == "A" else columns for name in sets}
    fragments = {name: [k.vgpr(f"{name} {i}", 8 * sizes[name]) for i in range(count)] for name, count in sets.items()}

    def fragment(name: str, slot: int, k_slice: int, index: int) -> Register:
        held, at = fragments[name][slot % sets[name]], 4 * (k_slice * sizes[name] + index)
        return held[at : at + 4]

    def read(name: str) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for k_slice in (0, 1):
                for i in range(sizes[name]):
                    k.ds_read_b128(fragment(name, slot, k_slice, i), first, offset=slot * 32768 + i * 2048)

        return Step(name, "read", emit, (name,))

    def fetch(name: str) -> Step:
        def prepare(k: Builder, slot: int) -> None:
            k.s_add_u32(M0, base, slot * 32768)

        def emit(k: Builder, slot: int) -> None:
            for i in range(sizes[name]):
                k.buffer_load_dwordx4(offsets[i], view, cursor, offset=i * 1008, lds=True)

        return Step(name, "fetch", emit, (name,), prepare)

    def compute(a: int, b: int) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for k_slice in (0, 1):
                for i in range(4):
                    for j in range(columns):
                        at = 4 * (((2 * a + b) * 4 + i) * columns + j)
                        target = accumulators[at : at + 4]
                        rows, cols = fragment(f"A{a}", slot, k_slice, i), fragment(f"B{b}", slot, k_slice, j)
                        k.v_mfma_f32_16x16x32_bf16(target, rows, cols, target)

        return Step(f"C{a}{b}", "compute", emit)

    steps = [*map(read, sets), *map(fetch, sets), *(compute(a, b) for a in (0, 1) for b in (0, 1))]
    pipeline = Pipeline(schedule, Steps(steps), lambda k, slot: k.s_add_u32(cursor, cursor, 128) and None)
    pipeline.lower(k, trips, late=late if schedule.producers else None, name="large")
    k.s_endpgm()
    k.fix_hazards()
    return k.finish()


def test_a_large_tile_needs_few_instructions_a_product() -> None:
    program = large_tile()
    loop = next(mark for mark in program.marks if mark.kind == "loop")
    body = program.instructions[loop.first : loop.last]
    units = Counter(inst.spec.unit for inst in body)
    assert [units[unit] for unit in ("MFMA", "LDS", "VMEM", "VALU")] == [2 * 128, 2 * 32, 2 * 16, 0]
    assert len(body) <= 1.47 * units["MFMA"]
    mnemonics = Counter(inst.mnemonic for inst in body)
    assert mnemonics["s_waitcnt"] == mnemonics["s_barrier"] == 4
    assert mnemonics["s_nop"] == 0
    assert program.total_vgprs <= 512


def test_products_carry_what_moves_data_evenly() -> None:
    """Never more than three instructions between two products of one section, and no idle stretch."""
    program = large_tile()
    loop = next(mark for mark in program.marks if mark.kind == "loop")
    gaps, gap = [], 0
    for inst in program.instructions[loop.first : loop.last]:
        if inst.spec.unit == "MFMA":
            gaps.append(gap)
            gap = 0
        elif inst.spec.unit in ("LDS", "VMEM", "SALU"):
            gap += 1
    assert max(gaps) <= 3
    runs = "".join("x" if gap == 0 else " " for gap in gaps).split()
    assert max(map(len, runs)) <= 12


def test_specialised_waves_have_room_for_half_the_tile() -> None:
    """Eight waves share the registers that four have with `interleave`, and producers use next to none of theirs.

    A SIMD has 512 registers a lane: 512 for one wave, 256 each for two. The same wave tile does not fit any more, and
    the one of half as many columns just does.
    """
    assert 256 < large_tile("interleave", 4).total_vgprs <= 512
    with pytest.raises(RegisterError, match=r"accumulators.*a workgroup of 512 work-items leaves 256"):
        large_tile("specialised", 4)
    half = large_tile("specialised", 2)
    assert half.total_vgprs <= 256
    produced = next(mark for mark in half.marks if mark.name == "large_producer")
    held = {register.text for inst in half.instructions[produced.first : produced.last] for register in inst.reads()}
    assert not any(text.startswith("a") for text in held)
