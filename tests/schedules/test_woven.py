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
from hkasm.errors import ScheduleError
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
         "nothing reads B0"),
        ((P0, Phase(read=("B0", ("A0", 1)), fetch=("B0", 2), compute="C01"), P2, Phase(fetch=("A1", 2), compute="C11")),
         "compute 'C00' of phase 0 comes before the read of its step"),
        ((Phase(read=("A1", ("B0", 1)), fetch=("A0", 2), compute="C00"), P1, P2,
          Phase(fetch=("A1", 2), compute="C11")), "overwrites what compute 'C10' of phase 2 takes"),
        ((Phase(read=("A1",), fetch=(("A0", 2), ("B0", 2), ("B1", 2), ("A1", 2)), compute="C00"),
          Phase(read=(("A0", 1),), compute="C01"), Phase(read=(("B1", 1),), compute="C10"),
          Phase(read=(("B0", 1),), compute="C11")), "overwrites 'A1' too early"),
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


def large_tile() -> Program:
    """The steps of a 256x256x64 bf16 tile on 4 waves, by their instructions: only what they count is looked at."""
    k = Builder("gfx950", "large", block=256)
    accumulators, view = k.agpr("accumulators", 256), k.sgpr("view", 4)
    trips, cursor, base, first = k.sgpr("trips"), k.sgpr("cursor"), k.sgpr("fetch base"), k.vgpr("read base")
    offsets = k.vgpr("offsets", 4)
    sets = {"A0": 2, "A1": 1, "B0": 1, "B1": 2}
    fragments = {name: [k.vgpr(f"{name} {i}", 32) for i in range(count)] for name, count in sets.items()}

    def fragment(name: str, slot: int, index: int) -> Register:
        held = fragments[name][slot % sets[name]]
        return held[4 * index : 4 * index + 4]

    def read(name: str) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for i in range(8):
                k.ds_read_b128(fragment(name, slot, i), first, offset=slot * 32768 + i * 2048)

        return Step(name, "read", emit, (name,))

    def fetch(name: str) -> Step:
        def prepare(k: Builder, slot: int) -> None:
            k.s_add_u32(M0, base, slot * 32768)

        def emit(k: Builder, slot: int) -> None:
            for i in range(4):
                k.buffer_load_dwordx4(offsets[i], view, cursor, offset=i * 1008, lds=True)

        return Step(name, "fetch", emit, (name,), prepare)

    def compute(a: int, b: int) -> Step:
        def emit(k: Builder, slot: int) -> None:
            for part in (0, 4):
                for i in range(4):
                    for j in range(4):
                        at = 64 * (2 * a + b) + 16 * i + 4 * j
                        target = accumulators[at : at + 4]
                        rows, columns = fragment(f"A{a}", slot, part + i), fragment(f"B{b}", slot, part + j)
                        k.v_mfma_f32_16x16x32_bf16(target, rows, columns, target)

        return Step(f"C{a}{b}", "compute", emit)

    steps = [*map(read, sets), *map(fetch, sets), *(compute(a, b) for a in (0, 1) for b in (0, 1))]
    pipeline = Pipeline(
        get_schedule("interleave"), Steps(steps), lambda k, slot: k.s_add_u32(cursor, cursor, 128) and None
    )
    pipeline.lower(k, trips, name="large")
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
