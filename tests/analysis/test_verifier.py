"""The verifier proves right programs right, foreign ones too, and says of wrong ones which two accesses collide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from support.full_gemm import FullGemm
from support.gemm_runs import built_gemm
from support.oracles import load_oracles
from support.schedule_mutants import Carrier, PublishedFp8Order, published
from support.tile_gemm import TileGemm, changed

import hkasm
from hkasm.analysis.verifier import Course, Proof, static_course, verify_lds
from hkasm.asm.builder import Builder
from hkasm.asm.codeobject import CodeObject
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.asm.toolchain import Toolchain
from hkasm.emulator.checks.wave_trace import WaveTrace
from hkasm.emulator.options import Options
from hkasm.errors import RaceError, UsageError, WaitError
from hkasm.isa.registers import M0
from hkasm.schedules import get_schedule

UNCHECKED = Options(checks=(), strict=False)

# Hand-made courses: two waves run the same straight line; wave w touches the bytes that `place(w)` gives.


@dataclass
class Access:
    kind: str
    address: np.ndarray
    size: int = 4
    space: str = "lds"


@dataclass
class Step:
    offset: int
    accesses: list[Access] = field(default_factory=list)


def course(write: Callable[[Builder], None], touched: Callable[[int, Instruction], int | None]) -> Course:
    """Build a line of code; `touched(wave, inst)` is the first of 256 LDS bytes that an instruction touches."""
    k = Builder("gfx950", "line", block=128)
    write(k)
    k.s_endpgm()
    k.fix_hazards()
    program = k.finish()
    program.layout()
    waves = {}
    for wave in (0, 1):
        steps = waves[wave] = []
        for inst in program.instructions:
            step = Step(inst.offset)
            first = touched(wave, inst) if inst.spec.memory is not None else None
            if first is not None:
                memory = inst.spec.memory
                kind = "direct" if memory.to_lds else memory.op
                step.accesses.append(Access(kind, first + 4 * np.arange(64)))
            steps.append(step)
    return Course(program, waves)


def exchange(k: Builder) -> None:
    """Write, wait, meet, read."""
    k.ds_write_b32(k.lane, k.lane)
    k.wait_counts(lgkmcnt=0)
    k.s_barrier()
    k.ds_read_b32(k.vgpr("r"), k.lane)
    k.wait_counts(lgkmcnt=0)


def crossed(wave: int, inst: Instruction) -> int:
    return 256 * (wave if inst.mnemonic == "ds_write_b32" else 1 - wave)


def at(program: Program, mnemonic: str) -> int:
    return next(i for i, inst in enumerate(program.instructions) if inst.mnemonic == mnemonic)


def test_an_exchange_through_lds_holds_and_neither_wait_nor_barrier_may_go() -> None:
    made = course(exchange, crossed)
    assert made.verify().holds
    for name in ("s_waitcnt", "s_barrier"):
        proof = made.verify({at(made.program, name): None})
        assert [finding.rule for finding in proof.findings] == ["lds-race"]


def test_lines_of_ones_own_need_no_barrier() -> None:
    made = course(exchange, lambda wave, inst: 256 * wave)
    assert made.verify({at(made.program, "s_barrier"): None, at(made.program, "s_waitcnt"): None}).holds


def fetch(k: Builder) -> None:
    """Fetch to LDS, wait, meet, read, and fetch again over what was read."""
    view, offset = k.sgpr("view", 4), k.vgpr("offset")
    k.s_mov_b32(M0, 0)
    k.buffer_load_dword(offset, view, 0, lds=True)
    k.wait_counts(vmcnt=0)
    k.s_barrier()
    k.ds_read_b32(k.vgpr("r"), k.lane)
    k.wait_counts(lgkmcnt=0)
    k.s_barrier()
    k.buffer_load_dword(offset, view, 0, lds=True)


def fetched(wave: int, inst: Instruction) -> int:
    return 256 * (1 - wave if inst.mnemonic == "ds_read_b32" else wave)


def test_a_read_before_the_load_landed_names_both_the_counter_and_the_wave() -> None:
    made = course(fetch, fetched)
    assert made.verify().holds
    finding = made.verify({at(made.program, "s_waitcnt"): None}).findings[0]
    assert finding.rule == "lds-in-flight"
    text = str(finding.error())
    assert "ds_read_b32" in text
    assert "reads LDS bytes that buffer_load_dword" in text
    assert "of wave 1 writes, and no barrier lies between wave 1's wait for that (vmcnt; it never waits" in text
    assert "test_verifier.py" in text
    assert "at wave 0, address 0x100" in text
    assert isinstance(finding.error(), WaitError)


def test_a_buffer_overwritten_before_it_was_read() -> None:
    made = course(fetch, fetched)
    waits = [i for i, inst in enumerate(made.program.instructions) if inst.mnemonic == "s_waitcnt"]
    (finding,) = made.verify({waits[1]: None}).findings
    assert finding.rule == "lds-read-pending"
    assert isinstance(finding.error(), RaceError)
    assert "overwrites LDS bytes that ds_read_b32" in str(finding.error())


def test_ones_own_load_needs_a_wait_but_no_barrier() -> None:
    made = course(fetch, lambda wave, inst: 256 * wave)
    barriers = {i: None for i, inst in enumerate(made.program.instructions) if inst.mnemonic == "s_barrier"}
    assert made.verify(barriers).holds
    findings = made.verify({**barriers, at(made.program, "s_waitcnt"): None}).findings
    assert [finding.rule for finding in findings] == ["lds-in-flight", "lds-race"]  # read, and loaded to again


def test_a_count_proves_only_what_drains_before_it() -> None:
    def write(k: Builder) -> None:
        k.ds_write_b32(k.lane, k.lane)
        k.ds_write_b32(k.lane, k.lane, offset=1024)
        k.wait_counts(lgkmcnt=1)
        k.s_barrier()
        k.ds_read_b32(k.vgpr("r"), k.lane)

    for read, holds in ((0, True), (1024, False)):  # of what the first or the second write brings

        def touched(wave: int, inst: Instruction, read: int = read) -> int:
            return crossed(wave, inst) + (read if inst.mnemonic == "ds_read_b32" else inst.mods.get("offset", 0))

        assert course(write, touched).verify().holds == holds


def test_scalar_loads_make_partial_counts_worthless() -> None:
    def write(k: Builder) -> None:
        k.ds_write_b32(k.lane, k.lane)
        k.s_load_dword(k.sgpr("x"), k.kernarg, 0)
        k.wait_counts(lgkmcnt=1)
        k.s_barrier()
        k.ds_read_b32(k.vgpr("r"), k.lane)

    assert not course(write, lambda wave, inst: crossed(wave, inst) if inst.spec.unit == "LDS" else None).verify().holds


def test_waves_that_pass_different_numbers_of_barriers() -> None:
    made = course(exchange, crossed)
    barrier = at(made.program, "s_barrier")
    waves = {w: [Step(i.offset) for n, i in enumerate(made.program.instructions) if w or n != barrier] for w in (0, 1)}
    (finding,) = verify_lds(made.program, waves).findings
    assert finding.rule == "barrier-divergent"
    assert "wave 1 passes 1 barriers, wave 0 only 0" in finding.message


# Schedules.


@cache
def gemm(label: str) -> TileGemm:
    return TileGemm(get_schedule(label))


SCHEDULES = (
    "simple",
    "simple-direct",
    "gather",
    "pingpong",
    "pingpong-staged",
    "interleave",
    "interleave-lean",
    "interleave-staged",
    "specialised",
)


@pytest.mark.parametrize("label", SCHEDULES)
def test_every_schedule_is_proved_for_any_number_of_k_steps(label: str, toolchain: Toolchain) -> None:
    for trips in (1, 12, 13):  # both ends of the loop's turns, and turns enough to see that they repeat
        proof = gemm(label).course(trips).verify()
        assert proof.findings == ()
        assert proof.repeats == (trips > 1)


FULL_SIZE = "schedule=pingpong,tile=256x256,dtype=fp8"
PUBLISHED: dict[str, Callable[[], Carrier]] = {
    "small": lambda: TileGemm(PublishedFp8Order(), late_shift=0),
    "fp8 256x256": lambda: FullGemm("gfx950", FULL_SIZE, PublishedFp8Order(), late_columns=True),
}


@pytest.mark.parametrize("make", PUBLISHED.values(), ids=PUBLISHED)
def test_the_published_fp8_order_is_caught(make: Callable[[], Carrier], toolchain: Toolchain) -> None:
    gemm = make()
    course, changes = gemm.course(5), published(gemm).changes
    assert changes is not None
    assert course.verify().findings == ()  # with the wait that the plan derives the order is sound
    findings = course.verify(changes).findings
    texts = [str(finding.error()) for finding in findings]
    assert {finding.rule for finding in findings} == {"lds-read-pending"}
    assert all("buffer_load_dwordx4" in text and "ds_read_b128" in text for text in texts)
    assert all("lgkmcnt; it only later waits for it" in text for text in texts)
    with pytest.raises(RaceError, match="may not have read yet"):  # the emulator catches it too
        gemm.with_program(changed(gemm.program, changes)).run(5)


# Foreign programs.


def foreign(label: str) -> tuple[Program, dict[int, list[object]]]:
    oracle = next(one for one in load_oracles("triton") if one.label == label)
    image = CodeObject.from_bytes(oracle.path.read_bytes()).kernels[oracle.entry["kernel"]]
    trace = WaveTrace()
    oracle.launch(hkasm.device("emulator"), oracle.arrays(), options=UNCHECKED, probes=[trace])
    program = Program.decode(image.arch, bytes(image.code), "foreign")
    return program, {wave: steps for (_, wave), steps in trace.waves.items()}


@pytest.mark.parametrize("label", ["gemm_bf16_nt_128x128x64_w4_gfx950", "softmax_bf16_w8_gfx942"])
def test_foreign_kernels_are_proved(label: str) -> None:
    program, waves = foreign(label)
    made = Course(program, waves)
    proof = made.verify()
    assert proof.findings == ()
    assert proof.accesses
    barriers = [i for i, inst in enumerate(program.instructions) if inst.spec.control == "barrier"]
    assert any(not made.verify({barrier: None}).holds for barrier in barriers)


def test_a_proof_says_what_it_is() -> None:
    assert Proof((), 3, 2, True).holds


def test_two_loads_of_one_wave_to_the_same_bytes_need_a_wait_between() -> None:
    def write(k: Builder) -> None:
        view, offset = k.sgpr("view", 4), k.vgpr("offset")
        k.s_mov_b32(M0, 0)
        k.buffer_load_dword(offset, view, 0, lds=True)
        k.wait_counts(vmcnt=0)
        k.buffer_load_dword(offset, view, 0, lds=True)

    made = course(write, lambda wave, inst: 256 * wave)
    assert made.verify().holds
    assert {f.rule for f in made.verify({at(made.program, "s_waitcnt"): None}).findings} == {"lds-race"}


@pytest.mark.parametrize("arch", ["gfx950", "gfx942"])
def test_the_librarys_gemm_is_proved_for_any_number_of_k_steps(arch: str, toolchain: Toolchain) -> None:
    gemm = built_gemm(arch)
    trace = WaveTrace()
    gemm.run({"m": 256, "n": 256, "k": 13 * 64}, options=UNCHECKED.but(arithmetic="fast"), probes=[trace])
    proof = verify_lds(gemm.program, {wave: steps for (_, wave), steps in trace.waves.items()})
    assert proof.findings == ()
    assert proof.repeats


# Without a launch.


def static(label: str, trips: int) -> Course:
    program = gemm(label).program
    held = {owner.name: owner.register.index for owner in program.owners if owner.register.file == "s"}
    first = next(mark.first for mark in program.marks if mark.kind == "section")
    waves = {wave: {held["trips"]: trips, held["late"]: wave // 2} for wave in range(4)}
    return static_course(program, waves, first, {wave: wave // 2 for wave in range(4)})


@pytest.mark.parametrize("label", [*SCHEDULES, "pingpong:apart=3", "interleave:depth=3"])
def test_regions_alone_prove_every_schedule(label: str) -> None:
    depth = get_schedule(label).depth
    for trips in (0, 1, 2, 3, 4, 6 * depth, 6 * depth + 1):
        proof = static(label, trips).verify()
        assert proof.findings == ()
        assert proof.repeats or trips < 6 * depth


@pytest.mark.parametrize("label", ["pingpong", "pingpong-staged", "pingpong:apart=3", "interleave", "specialised"])
def test_a_barrier_says_it_paces_the_groups_just_where_nothing_would_collide_without_it(label: str) -> None:
    courses = [static(label, trips) for trips in (1, 2, 3, 4, 5, 6, 12, 13)]
    for index, inst in enumerate(courses[0].program.instructions):
        if inst.mnemonic == "s_barrier":
            idle = all(course.verify({index: None}).holds for course in courses)
            assert idle == (inst.comment == "paces the groups"), f"{index}: {inst.comment}"


def test_regions_are_shared_where_nobody_says_which_group_a_wave_is_in() -> None:
    program = gemm("pingpong:apart=3").program
    held = {owner.name: owner.register.index for owner in program.owners if owner.register.file == "s"}
    first = next(mark.first for mark in program.marks if mark.kind == "section")
    waves = {wave: {held["trips"]: 6, held["late"]: wave // 2} for wave in range(4)}
    found = static_course(program, waves, first).verify().findings
    assert {finding.instruction.split()[0] for finding in found} == {"ds_read_b128"}
    groups = {wave: wave // 2 for wave in range(4)}
    assert static_course(program, waves, first, groups).verify().holds
    mixed = {wave: wave % 2 for wave in range(4)}
    assert not static_course(program, waves, first, mixed).verify().holds


def test_a_way_that_depends_on_unknown_registers_is_refused() -> None:
    program = gemm("pingpong").program
    first = next(mark.first for mark in program.marks if mark.kind == "section")
    with pytest.raises(UsageError, match=r"s_cbranch_scc1 .*: which way a wave goes here is not known"):
        static_course(program, {0: {}}, first)
