"""Plans proved on a machine of their own: two waves a group, and loads that land only when waited for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import pytest

from hkasm.errors import ScheduleError
from hkasm.schedules.items import Act, Advance, Barrier, Item, Thread, Wait, Woven
from hkasm.schedules.phase import Phase, Schedule
from hkasm.schedules.pingpong import PingPong, PingPongPacked, PingPongStaged
from hkasm.schedules.plan import Plan
from hkasm.schedules.simple import Simple
from hkasm.schedules.step import Atom, Facts
from hkasm.schedules.woven import WovenPlan


def atoms(first: int, count: int) -> frozenset[Atom]:
    return frozenset(("v", first + i) for i in range(count))


A, B0, B1 = atoms(0, 8), atoms(8, 4), atoms(12, 4)
STAGE_A, STAGE_B = atoms(16, 4), atoms(20, 4)
COMPUTES = {"C00": A | B0, "C01": A | B1, "C10": A | B0, "C11": A | B1}
READS = {"A0": A, "A1": A, "B0": B0, "B1": B1}


def facts(staged: bool) -> dict[tuple[str, str], Facts]:
    found = [Facts("read", name, (name,), loads=loads) for name, loads in READS.items()]
    found += [Facts("compute", name, reads=reads) for name, reads in COMPUTES.items()]
    if staged:
        found += [Facts("fetch", "A", loads=STAGE_A), Facts("fetch", "B", loads=STAGE_B)]
        found += [Facts("commit", "A", ("A0", "A1"), reads=STAGE_A), Facts("commit", "B", ("B0", "B1"), reads=STAGE_B)]
    else:
        found += [Facts("fetch", name, (name,)) for name in READS]
    return {(one.kind, one.name): one for one in found}


def grouped(found: dict[tuple[str, str], Facts], side: str) -> dict[tuple[str, str], Facts]:
    """Let each group touch a part of its own of a side's regions."""
    return {key: replace(one, grouped=any(r[0] == side for r in one.regions)) for key, one in found.items()}


def packed() -> dict[tuple[str, str], Facts]:
    """Fetches bring twice the registers; A is packed into its first half, B lies on the rest and behind."""
    found = facts(staged=True)
    raw_a, raw_b = atoms(16, 8), atoms(20, 8)
    found["fetch", "A"] = Facts("fetch", "A", loads=raw_a)
    found["fetch", "B"] = Facts("fetch", "B", loads=raw_b)
    found["commit", "pack A"] = Facts("commit", "pack A", reads=raw_a)
    found["commit", "B"] = Facts("commit", "B", ("B0", "B1"), reads=raw_b)
    return found


class Beside(Schedule):
    """A ping-pong in which C01 runs while the other group multiplies, and carries a read and fetches."""

    name = "beside for a test"
    groups, depth, slack = 2, 2, 1

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("B0", "A0", "B1"), fetch=("A1", k + 1), compute="C00")
        fetch = (("B0", k + 2), ("A0", k + 2), ("B1", k + 2))
        yield Phase(read=("A1",), fetch=fetch, beside=("C01",), compute="C10")
        yield Phase(compute="C11")


PLANS = {
    "beside": lambda: Plan(Beside(), facts(staged=False)),
    "pingpong": lambda: Plan(PingPong(), facts(staged=False)),
    "pingpong-staged": lambda: Plan(PingPongStaged(), facts(staged=True)),
    "pingpong-packed": lambda: Plan(PingPongPacked(), packed()),
    "simple": lambda: Plan(Simple(), facts(staged=True)),
    **{
        f"pingpong of grouped {side}, {apart} apart": partial(
            lambda side, apart: Plan(PingPong(apart=apart), grouped(facts(staged=False), side)), side, apart
        )
        for side in "AB"
        for apart in (1, 2, 3)
    },
    "pingpong-staged of grouped A": lambda: Plan(PingPongStaged(), grouped(facts(staged=True), "A")),
}


def trace(plan: Plan, trips: int) -> list[tuple[Item, int]]:
    """Unroll a plan for a trip count as the lowering does; each item with its K step."""
    items: list[tuple[Item, int]] = (
        [(item, -1) for item in plan.prologue(trips if trips < plan.ahead else None)] if trips else []
    )
    for step in range(trips):
        remaining = trips - 1 - step
        known = remaining if remaining < plan.ahead or plan.ahead == 0 else None
        items += [(item, step) for item in plan.step(step % plan.slots, known, step)]
    return [(one, step) for item, step in items for one in _acts(item)]


def _acts(item: Item) -> list[Item]:
    """Return what a woven item does, one after the other: reads keep behind a compute whose registers they take."""
    if not isinstance(item, Woven):
        return [item]
    assert item.compute is not None
    return [item.compute, *(act for thread in item.threads for act in thread.acts)]


@dataclass
class Access:
    """A wave's use of an LDS buffer, from the barrier interval where it starts to the one where it is waited for."""

    wave: int
    region: tuple[str, int]
    writes: bool
    content: int
    start: int
    order: int
    end: float = float("inf")
    settled: float = float("inf")


@dataclass
class Wave:
    """One wave: runs its items, keeps its loads in flight until a wait names them."""

    number: int
    plan: Plan
    late: int
    accesses: list[Access] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    barriers: int = 0
    cursor: int = 0

    def run(self, items: list[tuple[Item, int]]) -> None:
        self.holds: dict[Atom, tuple[str, int, int]] = {}
        self.flying: list[tuple[frozenset[Atom], Access | None, str]] = []
        staggered = False
        for order, (item, step) in enumerate(items):
            self.order = order
            if step == 0 and not staggered:
                self.barriers, staggered = self.barriers + self.late, True
            match item:
                case Barrier():
                    self.barriers += 1
                case Advance():
                    self.cursor += 1
                case Wait():
                    self._wait(item)
                case Act():
                    self._act(item, step)
        self.barriers += (self.plan.lag - self.late) if staggered else 0

    def _wait(self, wait: Wait) -> None:
        """Drain each counter in order, up to the last operation that the wait names."""
        for counter in ("vm", "lgkm"):
            queue = [entry for entry in self.flying if entry[2] == counter]
            last = -1
            for position, (registers, access, _) in enumerate(queue):
                if registers & wait.registers or (access and access.writes and access.region in wait.regions):
                    last = position
            for entry in queue[: last + 1]:
                self.flying.remove(entry)
                if entry[1] is not None:
                    entry[1].end, entry[1].settled = self.barriers, self.order

    def _issue(self, registers: frozenset[Atom], access: Access | None, counter: str) -> None:
        if access is not None:
            self.accesses.append(access)
        self.flying.append((registers, access, counter))

    def _ready(self, registers: frozenset[Atom], user: str) -> None:
        for waiting, _, _ in self.flying:
            if waiting & registers:
                self.faults.append(f"{user} uses registers in flight")

    def _act(self, act: Act, step: int) -> None:
        one = self.plan._facts[act.kind, act.name]
        if act.kind == "read":
            for region in one.regions:
                self._issue(one.loads, self._access(region, act.slot, False, step), "lgkm")
            self.holds.update(dict.fromkeys(one.loads, (act.name, step, 0)))
        elif act.kind == "fetch":
            for region in one.regions:
                self._issue(frozenset(), self._access(region, act.slot, True, self.cursor), "vm")
            if one.loads:
                self._issue(one.loads, None, "vm")
                self.holds.update(dict.fromkeys(one.loads, (act.name, self.cursor, 0)))
        elif act.kind == "commit":
            self._ready(one.reads, f"commit {act.name}")
            content = {self.holds[atom][1] for atom in one.reads}
            assert len(content) == 1
            for region in one.regions:
                self._issue(frozenset(), self._access(region, act.slot, True, content.pop() if content else -1), "lgkm")
                content = {self.holds[atom][1] for atom in one.reads}
        else:
            self._ready(one.reads, f"compute {act.name}")
            if any(self.holds[atom][1] != step for atom in one.reads):
                self.faults.append(f"compute {act.name} of step {step} works on another step")

    def _access(self, region: str, slot: int, writes: bool, content: int) -> Access:
        return Access(self.number, (region, slot), writes, content, self.barriers, self.order)


def before(first: Access, second: Access) -> bool:
    """Whether everything of `first` is over before `second` starts."""
    if first.wave == second.wave:
        return first.settled <= second.order
    return first.end < second.start


def faults(plan: Plan, trips: int, items: list[tuple[Item, int]] | None = None) -> list[str]:
    items = trace(plan, trips) if items is None else items
    waves = [Wave(number, plan, late=number % 2 * plan.lag) for number in range(4)]
    for wave in waves:
        wave.run(items)
    found = [text for wave in waves for text in wave.faults]
    if len({wave.barriers for wave in waves}) != 1:
        found.append("unequal barriers")
    accesses = [access for wave in waves for access in wave.accesses]
    writes = [access for access in accesses if access.writes]
    own = {region for one in plan._facts.values() if one.grouped for region in one.regions}

    def meet(one: Access, other: Access) -> bool:
        """Whether two accesses touch the same bytes: not where groups have parts of their own."""
        return one.region == other.region and (one.region[0] not in own or one.wave % 2 == other.wave % 2)

    for read in (access for access in accesses if not access.writes):
        for write in (write for write in writes if meet(write, read)):
            if before(write, read):
                continue
            if not before(read, write):
                found.append(f"race on {read.region}")
        for wave in waves:
            if not any(w.wave == wave.number and meet(w, read) for w in writes):
                continue
            seen = [w.content for w in writes if w.wave == wave.number and meet(w, read) and before(w, read)]
            if not seen or seen[-1] != read.content:
                found.append(f"read of {read.region} for step {read.content} sees step {seen[-1:]}")
    for one in writes:
        for other in writes:
            differ = meet(one, other) and one.content != other.content
            if differ and not before(one, other) and not before(other, one):
                found.append(f"two contents race into {one.region}")
    return found


TRIPS = range(8)


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("trips", TRIPS)
def test_no_race_and_the_right_data(name: str, trips: int) -> None:
    assert faults(PLANS[name](), trips) == []


@pytest.mark.parametrize("name", PLANS)
def test_every_step_computes_everything_once(name: str) -> None:
    items = trace(PLANS[name](), 5)
    computed = [(item.name, step) for item, step in items if isinstance(item, Act) and item.kind == "compute"]
    assert computed == [(c, step) for step in range(5) for c in ("C00", "C01", "C10", "C11")]


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("trips", [1, 2, 5])
def test_every_wait_that_waits_is_needed(name: str, trips: int) -> None:
    plan = PLANS[name]()
    items = trace(plan, trips)
    for position, (item, _) in enumerate(items):
        if isinstance(item, Wait) and not _is_idle(plan, items, position):
            assert faults(plan, trips, items[:position] + items[position + 1 :]), f"{item.reason} is not needed"


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("trips", [2, 5])
def test_every_advance_is_needed(name: str, trips: int) -> None:
    plan = PLANS[name]()
    items = trace(plan, trips)
    advances = [position for position, (item, _) in enumerate(items) if isinstance(item, Advance)]
    assert trips - 1 <= len(advances) <= trips  # steady code moves the cursor once more after the last fetch
    for position in advances[: trips - 1]:
        assert faults(plan, trips, items[:position] + items[position + 1 :])


def _is_idle(plan: Plan, items: list[tuple[Item, int]], position: int) -> bool:
    """Whether a wait finds nothing in flight (the resolver drops it)."""
    wave = Wave(0, plan, 0)
    wave.run(items[:position])
    before_wait = len(wave.flying)
    wait = items[position][0]
    assert isinstance(wait, Wait)
    wave._wait(wait)
    return len(wave.flying) == before_wait


def test_the_pingpong_prologue_is_the_published_one() -> None:
    fetched = [(i.name, i.slot) for i in PLANS["pingpong"]().prologue() if isinstance(i, Act)]
    assert fetched == [("B0", 0), ("A0", 0), ("B1", 0), ("A1", 0), ("B0", 1), ("A0", 1), ("B1", 1)]


def test_the_simple_schedule_needs_two_barriers_a_step() -> None:
    items = PLANS["simple"]().step(0, None)
    assert sum(isinstance(item, Barrier) for item in items) == 2
    assert sum(isinstance(item, Barrier) for item in PLANS["simple"]().step(0, 0, 0)) == 1


class _Bad(Schedule):
    """A ping-pong with phases put in by a test."""

    name = "bad"
    groups, depth = 2, 2
    order: tuple[Phase, ...] = ()

    def steady(self, k: int) -> Iterator[Phase]:
        yield from self.order


GOOD = PingPong().phases()


@pytest.mark.parametrize(
    ("order", "message"),
    [
        # B0 is overwritten in the phase that reads it.
        (
            (Phase(("B0", "A0"), fetch=(("A1", 1), ("B0", 2)), compute="C00"),
             Phase(("B1",), fetch=("A0", 2), compute="C01"),
             Phase(("A1",), fetch=("B1", 2), compute="C10"), Phase(compute="C11")),
            "(?s)overwrites 'B0' too early.*: depth = 3$",
        ),
        # A1 of the same step arrives when it is read.
        (
            (Phase(("B0", "A0"), compute="C00"), Phase(("B1",), compute="C01"),
             Phase(("A1",), fetch=("A1", 0), compute="C10"),
             Phase(fetch=(("B0", 1), ("A0", 1), ("B1", 1)), compute="C11")),
            "comes too late",
        ),
        ((GOOD[0], GOOD[1], Phase(("A1",), compute="C10"), GOOD[3]), "nothing fills A0"),
        ((Phase(("B0",), fetch=("A1", 1), compute="C00"), Phase(("A0", "B1"), fetch=("B0", 2), compute="C01"),
          *GOOD[2:]), "compute 'C00' comes before read"),
        ((Phase(("B0", "A0"), fetch=("A1", 3), compute="C00"), *GOOD[1:]), "fetches go through the K steps in order"),
        ((GOOD[0], GOOD[1], Phase(("A1",), fetch=("B0", 2), compute="C10"), GOOD[3]), "fetched twice"),
        # Nothing computes with B1's fragments either.
        ((GOOD[0], Phase(fetch=("B0", 2)), GOOD[2], Phase(fetch=("B1", 2))),
         "'fetch B1' fills 'B1', and no phase reads it"),
    ],
)  # fmt: skip
def test_orders_that_cannot_be_lowered_are_refused(order: tuple[Phase, ...], message: str) -> None:
    schedule = _Bad()
    schedule.order = order
    with pytest.raises(ScheduleError, match=message):
        Plan(schedule, facts(staged=False))


def test_the_depth_that_a_refusal_names_will_do() -> None:
    schedule = _Bad()
    schedule.order = (Phase(("B0", "A0", "B1"), fetch=(("B0", 4), ("A0", 4), ("B1", 4)), compute="C00"),
                      Phase(compute="C01"), Phase(("A1",), fetch=("A1", 4), compute="C10"),
                      Phase(compute="C11"))  # fmt: skip
    with pytest.raises(ScheduleError, match=r"depth = 5$"):
        Plan(schedule, facts(staged=False))
    schedule.depth = 5
    Plan(schedule, facts(staged=False))


def test_what_is_computed_beside_carries_reads_and_fetches_and_takes_only_what_was_read_before() -> None:
    (woven,) = [item for item in PLANS["beside"]().step(0) if isinstance(item, Woven)]
    reads, fetches = woven.threads
    assert woven.compute == Act("compute", "C01", 0)
    assert reads == Thread((Act("read", "A1", 0),), slack=1)
    assert [act.name for act in fetches.acts if isinstance(act, Act)] == ["B0", "A0", "B1"]
    schedule = _Bad()
    schedule.order = (Phase(("B0", "A0"), beside=("C00",), fetch=("A1", 1), compute="C01"), *GOOD[1:])
    with pytest.raises(ScheduleError, match="compute 'C00' comes before read"):
        Plan(schedule, facts(staged=False))
    with pytest.raises(ScheduleError, match="compute 'C01' stands beside another"):
        WovenPlan(Beside(), {})


def test_steps_that_meet_in_a_region_are_grouped_alike() -> None:
    found = grouped(facts(staged=False), "A")
    found["read", "A1"] = replace(found["read", "A1"], grouped=False)
    with pytest.raises(ScheduleError, match="'fetch A1' is grouped, 'read A1' is not, and both touch 'A1'"):
        Plan(PingPong(), found)


@pytest.mark.parametrize(
    ("apart", "places"), [(1, {"A0": 6, "A1": 2}), (2, {"A0": 7, "A1": 2}), (3, {"A0": 6, "A1": 2})]
)
def test_what_a_group_has_to_itself_is_waited_for_as_late_as_if_there_were_one(
    apart: int, places: dict[str, int]
) -> None:
    """A1 in the memory section before the one that reads it, A0 where something else is waited for."""
    plan = Plan(PingPong(apart=apart), grouped(facts(staged=False), "A"))
    found = {one.region: boundary for boundary, some in plan._arrivals.items() for one in some}
    assert {name: found[name] for name in places} == places


def test_a_fetch_wants_a_pair() -> None:
    with pytest.raises(ScheduleError, match=r"\(name, step\) pairs"):
        _ = Phase(fetch=(("A0",),)).fetches  # type: ignore[arg-type]


def test_schedules_are_plain_data() -> None:
    data = PingPong().as_dict()
    assert data["phases"][1] == {"read": ["B1"], "fetch": [["B0", 2]], "compute": "C01"}


def test_two_schedules_of_one_name_are_refused() -> None:
    with pytest.raises(ScheduleError, match="two schedules are called 'simple'"):
        type("Again", (Simple,), {"name": "simple"})


class Streamed(Schedule):
    """A fetch for the next step among computes that take its registers as they are."""

    def __init__(self, order: tuple[str, ...]) -> None:
        self.name, self.order = "streamed for a test", order

    def steady(self, k: int) -> Iterator[Phase]:
        for name in self.order:
            yield Phase(fetch=("A", k + 1)) if name == "A" else Phase(compute=name)


def test_a_compute_waits_for_what_a_fetch_brought_as_it_is() -> None:
    known = {
        ("fetch", "A"): Facts("fetch", "A", loads=STAGE_A),
        ("compute", "C"): Facts("compute", "C", reads=STAGE_A | A),
        ("compute", "D"): Facts("compute", "D", reads=STAGE_A),
    }
    plan = Plan(Streamed(("C", "A")), known)
    assert [type(item) for item in plan.step(0)] == [Wait, Act, Act, Advance]
    assert plan.step(0)[0] == Wait(STAGE_A, reason="compute C")
    assert plan.prologue() == [Act("fetch", "A", 0), Advance()]
    with pytest.raises(ScheduleError, match="compute 'D' does not find what a fetch brings for its step"):
        Plan(Streamed(("C", "A", "D")), known)
