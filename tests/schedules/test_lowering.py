"""Lowered code, followed along its branches for every trip count, does what the plan says, and meets its barriers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.scalar import follow, scalar_value

from hkasm.asm.builder import Builder
from hkasm.errors import ScheduleError
from hkasm.isa.counters import unpack_waitcnt
from hkasm.isa.registers import M0, Register
from hkasm.schedules import Phase, Pipeline, Schedule, Step, Steps, get_schedule, list_schedules
from hkasm.schedules.items import Act, Advance
from hkasm.schedules.pingpong import PingPong, PingPongStaged
from hkasm.schedules.plan import Plan
from hkasm.schedules.simple import Simple
from hkasm.schedules.step import record

SLOT_BYTES = 4096


class Toy:
    """A kernel whose steps are one instruction each; the buffer can be read off the instruction's offset."""

    def __init__(self, schedule: Schedule, trips: int | None) -> None:
        self.k = k = Builder("gfx950", "toy", block=512)
        self.trips, self.late, self.cursor = k.sgpr("trips"), k.sgpr("late"), k.sgpr("cursor")
        self.view, self.address = k.sgpr("view", 4), k.vgpr("address")
        self.a, self.b0, self.b1 = k.vgpr("a"), k.vgpr("b0"), k.vgpr("b1")
        self.staged = {"A": k.vgpr("staged a"), "B": k.vgpr("staged b")}
        self.sum = k.vgpr("sum")
        self.direct = isinstance(schedule, PingPong)
        self.pipeline = Pipeline(schedule, Steps(self.steps()), self.advance)
        self.plan = self.pipeline.plan(k)
        self.pipeline.lower(k, self.trips if trips is None else trips, late=self.late if schedule.groups > 1 else None)
        k.s_endpgm()
        self.program = k.finish(checked=False)  # plans are looked at, with no nops among them

    def advance(self, k: Builder, slot: int) -> None:
        k.s_add_u32(self.cursor, self.cursor, 1)

    def steps(self) -> list[Step]:
        registers = {"A0": self.a, "A1": self.a, "B0": self.b0, "B1": self.b1}
        steps = [Step(name, "read", self.read(register), (name,)) for name, register in registers.items()]
        products = {"C00": self.b0, "C01": self.b1, "C10": self.b0, "C11": self.b1}
        steps += [Step(name, "compute", self.compute(b)) for name, b in products.items()]
        if self.direct:
            steps += [Step(name, "fetch", self.fetch_direct, (name,), prepare=self.prepare) for name in registers]
        for name, register in self.staged.items():
            steps.append(Step(name, "fetch", self.fetch_staged(register)))
            steps.append(Step(name, "commit", self.commit(register), (f"{name}0", f"{name}1")))
        return steps

    def read(self, register: Register) -> Callable[[Builder, int], None]:
        return lambda k, slot: k.ds_read_b32(register, self.address, offset=slot * SLOT_BYTES) and None

    def compute(self, b: Register) -> Callable[[Builder, int], None]:
        return lambda k, slot: k.v_fmac_f32(self.sum, self.a, b) and None

    def prepare(self, k: Builder, slot: int) -> None:
        k.s_mov_b32(M0, slot * SLOT_BYTES)

    def fetch_direct(self, k: Builder, slot: int) -> None:
        k.buffer_load_dword(self.address, self.view, self.cursor, lds=True)

    def fetch_staged(self, register: Register) -> Callable[[Builder, int], None]:
        return lambda k, slot: k.buffer_load_dword(register, self.address, self.view, self.cursor) and None

    def commit(self, register: Register) -> Callable[[Builder, int], None]:
        return lambda k, slot: k.ds_write_b32(self.address, register, offset=slot * SLOT_BYTES) and None


def acts(toy: Toy, trips: int, late: int) -> list[tuple[str, int]]:
    """What the code did: steps with the buffer they used."""
    registers = {toy.trips.index: trips, toy.late.index: late}
    done, m0 = [], 0
    for inst in follow(toy.program, registers):
        if inst.mnemonic == "s_mov_b32" and inst.operand("sdst") == M0:
            m0 = scalar_value(inst, "src0", {}) // SLOT_BYTES
        elif inst.tag == "advance" or inst.tag.split(" ")[0] in ("read", "commit", "fetch", "compute"):
            slot = inst.mods.get("offset", 0) // SLOT_BYTES
            done.append((inst.tag, m0 if inst.mods.get("lds") else slot))
    return done


def planned(plan: Plan, trips: int, known: bool) -> list[tuple[str, int]]:
    """The same by the plan, one K step after the other."""
    staged = plan.schedule.name != "pingpong"
    items = list(plan.prologue(trips if trips < plan.ahead else None)) if trips else []
    for step in range(trips):
        remaining = trips - 1 - step
        steady = remaining >= plan.ahead and not known
        items += plan.step(step % plan.slots, None if steady else remaining)
    found = []
    for item in items:
        if isinstance(item, Act):
            slot = 0 if item.kind == "compute" or (item.kind == "fetch" and staged) else item.slot
            found.append((f"{item.kind} {item.name}", slot))
        elif isinstance(item, Advance):
            found.append(("advance", 0))
    return found


SCHEDULES = {"pingpong": PingPong, "pingpong-staged": PingPongStaged, "simple": Simple}


@pytest.fixture(scope="module", params=SCHEDULES)
def toy(request: pytest.FixtureRequest) -> Toy:
    return Toy(SCHEDULES[request.param](), None)


@pytest.mark.parametrize("late", [0, 1])
def test_code_for_any_trip_count_follows_the_plan(toy: Toy, late: int) -> None:
    for trips in range(9):
        assert acts(toy, trips, late) == planned(toy.plan, trips, known=False), f"{trips} K steps"


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("trips", range(9))
def test_code_for_a_known_trip_count_does_the_same_work(name: str, trips: int) -> None:
    toy = Toy(SCHEDULES[name](), trips)
    work = [one for one in acts(toy, 99, 0) if one[0] != "advance"]
    assert work == [one for one in planned(toy.plan, trips, known=True) if one[0] != "advance"]


def test_both_groups_meet_the_same_number_of_barriers_and_the_late_one_starts_later(toy: Toy) -> None:
    for trips in range(6):
        lists = [
            [inst for inst in follow(toy.program, {toy.trips.index: trips, toy.late.index: late}) if inst.tag or
             inst.spec.control == "barrier"]
            for late in (0, 1)
        ]  # fmt: skip
        barriers = [[i.spec.control == "barrier" for i in passed] for passed in lists]
        assert sum(barriers[0]) == sum(barriers[1])
        if trips and toy.plan.lag:
            before_read = [
                sum(flags[: next(n for n, inst in enumerate(passed) if inst.tag.startswith("read"))])
                for flags, passed in zip(barriers, lists, strict=True)
            ]
            assert before_read[1] == before_read[0] + 1


def test_waits_in_the_steady_loop_are_the_loosest() -> None:
    """Two half tiles of two loads each would be vmcnt(2 * 5) in the GEMM: five half tiles stay in flight here too."""
    toy = Toy(PingPong(), None)
    loop = next(mark for mark in toy.program.marks if mark.kind == "loop")
    waits = [i for i in toy.program.instructions[loop.first : loop.last] if i.spec.control == "wait"]
    assert len(waits) == 2 * 6
    counts = [(unpack_waitcnt(i.operands[0]).vmcnt, unpack_waitcnt(i.operands[0]).lgkmcnt) for i in waits[:6]]
    assert counts == [(5, 1), (63, 0), (5, 15), (63, 0), (63, 0), (5, 15)]


def test_a_missing_step_is_named() -> None:
    with pytest.raises(ScheduleError, match="the kernel has no read step 'B0'"):
        Pipeline(PingPong(), Steps([]), lambda k, slot: None).plan(Builder("gfx950"))


def test_two_steps_of_one_name_are_refused() -> None:
    step = Step("A", "read", lambda k, slot: None)
    with pytest.raises(ScheduleError, match="two read steps are called 'A'"):
        Steps([step, step])


def test_two_groups_need_a_flag_and_trips_are_not_negative() -> None:
    toy = Toy(PingPong(), 1)
    with pytest.raises(ScheduleError, match="has two groups"):
        toy.pipeline.lower(toy.k, 1)
    with pytest.raises(ScheduleError, match="-1 K steps"):
        toy.pipeline.lower(toy.k, -1, late=toy.late)


def test_schedules_are_found() -> None:
    assert {"pingpong", "pingpong-staged", "pingpong-packed", "simple"} <= set(list_schedules())
    assert isinstance(get_schedule("simple"), Simple)
    assert get_schedule("simple").phases()[0] == Phase(fetch=(("A", 0), ("B", 0)))


class Branching(Toy):
    """A toy whose computes jump over their instruction when SCC is 1: steps with a label, which cannot be replayed."""

    def compute(self, b: Register) -> Callable[[Builder, int], None]:
        def write(k: Builder, slot: int) -> None:
            behind = k.label("behind")
            k.s_cmp_eq_u32(self.late, 7)
            k.s_cbranch_scc1(behind)
            k.v_fmac_f32(self.sum, self.a, b)
            k.place(behind)

        return write


def test_a_step_with_labels_is_written_anew_each_time() -> None:
    toy = Branching(PingPongStaged(), None)
    computes = sum(inst.mnemonic == "v_fmac_f32" for inst in toy.program.instructions)
    assert sum(name.startswith("behind") for name in toy.program.labels) == computes
    done = [act for act in acts(toy, 4, 0) if act[0].startswith("compute")]
    names = [act for act, _ in planned(toy.plan, 4, known=False) if act.startswith("compute")]
    assert [name for name, _ in done] == [name for name in names for _ in range(3)]


def test_a_step_is_recorded_once_for_a_builder() -> None:
    toy = Toy(PingPong(), None)
    step = toy.pipeline.steps.get("read", "A0")
    assert record(toy.k, step) is record(toy.k, step)
    assert record(toy.k, step, 1) is not record(toy.k, step)
    assert record(Builder("gfx950"), step) is not record(toy.k, step)
    instructions = record(toy.k, step).instructions
    assert instructions is not None
    written = [inst for inst in toy.program.instructions if inst.tag == "read A0"]
    assert {id(inst.operands) for inst in written} == {
        id(inst.operands) for slot in (0, 1) for inst in record(toy.k, step, slot).instructions or ()
    }
    assert not any(inst is known for inst in written for known in instructions)
