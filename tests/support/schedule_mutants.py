"""Mutants of lowered schedules, and what finds them out.

A mutant of the program is judged by the verifier (waits on all paths, LDS along the courses of several numbers of K
steps), then, if that proves it sound, by strict runs on the emulator and their results. A mutant of the schedule itself
may already be refused by the plan. What nothing finds is *equivalent* if the verifier proves it for every number of K
steps, which is the reason why no timing can differ, and if 200 launches with random landing times and wave orders give
identical bits; a wait or a race that the emulator finds in a program that the verifier passed was *missed*.

Barriers that may go are tried by those launches without all of them, as far as the verifier proves them dispensable
together: whatever a program may do that lacks one of them, one that lacks more may do too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from support.mutants import timings
from support.tile_attention import LABELS, TileAttention
from support.tile_gemm import TileGemm, changed

from hkasm.analysis.verifier import Course
from hkasm.analysis.waits import check_waits
from hkasm.asm.hazards import fix_hazards
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.emulator.options import Options
from hkasm.errors import HazardError, HkasmError, RaceError, ScheduleError, WaitError
from hkasm.isa.counters import COUNTERS, counter_max, pack_waitcnt, unpack_waitcnt
from hkasm.schedules import Phase, RecordedSchedule, Schedule, get_schedule
from hkasm.schedules.phase import Fetch

CLASSES = (
    "wait loosened", "wait removed", "barrier removed", "stagger removed", "fetches swapped", "fetch early",
    "order swapped", "order early", "published order",
)  # fmt: skip
OUTCOMES = ("refused", "verifier", "result", "equivalent", "missed")
TRIPS = (5, 6, 1, 2, 3, 4)
"""Numbers of K steps that run every copy of every step, those that find most first."""
TURNS = 6
"""Turns of the loop that show that they repeat."""
RUNS = (1, 2, 5, 6)
RANDOM_RUNS = 200
"""Launches of random timing that give identical bits before a mutant may be called equivalent."""
STAGGER = ("the late group falls behind", "the early group waits")

Changes = Mapping[int, Instruction | None]


@dataclass(frozen=True)
class Mutant:
    """One fault put in: instructions changed in place, a whole other program, or another schedule."""

    kind: str
    text: str
    changes: Changes | None = None
    program: Program | None = None
    schedule: Schedule | None = None


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, and who said it."""

    outcome: str
    detail: str


class Carrier(Protocol):
    """A kernel under one schedule: the small GEMM, the library's at full size, or its attention."""

    @property
    def schedule(self) -> Schedule: ...
    @property
    def program(self) -> Program: ...
    @property
    def span(self) -> range:
        """The instructions that are mutated."""

    def with_program(self, program: Program) -> Carrier:
        """The same kernel with another program."""

    def with_schedule(self, schedule: Schedule) -> Carrier:
        """The same kernel under another schedule."""

    def course(self, trips: int) -> Course:
        """What the waves execute and touch."""

    def run(self, trips: int, options: Options | None = None) -> tuple[Any, np.ndarray, np.ndarray]:
        """Launch; returns the report, what came out, and what is right."""


class Subject:
    """A kernel under one schedule, or what carries the schedule of a label, with its courses."""

    def __init__(self, kernel: Carrier | str, runs: int = RANDOM_RUNS) -> None:
        self.kernel = carrier(kernel) if isinstance(kernel, str) else kernel
        self.random_runs = runs
        self._courses: dict[int, Course] = {}
        self._ran: dict[bytes, Verdict] = {}
        assert not check_waits(self.kernel.program)

    def course(self, trips: int) -> Course:
        """The unmutated course; raises if it is not sound, or does not repeat."""
        if trips not in self._courses:
            course = self._courses[trips] = self.kernel.course(trips)
            proof = course.verify()
            assert proof.holds
            assert proof.repeats or trips < self.trips[-2]
        return self._courses[trips]

    @property
    def trips(self) -> tuple[int, ...]:
        """Numbers of K steps to judge by; the last two show whether turns repeat."""
        long = TURNS * self.kernel.schedule.depth
        return (*TRIPS, long, long + 1)

    # Mutants.

    def mutants(self) -> Iterator[Mutant]:
        """Yield all mutants, class by class in the program's order."""
        if isinstance(self.kernel.schedule, PublishedFp8Order):
            yield published(self.kernel)
            return
        yield from self._waits()
        yield from self._barriers()
        yield from self._fetches()
        yield from self._orders()

    def _spanned(self, mnemonic: str) -> Iterator[tuple[int, Instruction]]:
        instructions = self.kernel.program.instructions
        return ((i, instructions[i]) for i in self.kernel.span if instructions[i].mnemonic == mnemonic)

    def _waits(self) -> Iterator[Mutant]:
        arch = self.kernel.program.arch
        waits = list(self._spanned("s_waitcnt"))
        for index, inst in waits:
            assert isinstance(inst.operands[0], int)
            counts = unpack_waitcnt(inst.operands[0])
            for name in COUNTERS:
                if counts.get(name) < counter_max(arch, name):
                    fields = {each: counts.get(each) + (each == name) for each in COUNTERS}
                    looser = Instruction(
                        inst.spec, inst.encoding, (pack_waitcnt(arch, **fields),), inst.mods, inst.origin
                    )
                    yield Mutant("wait loosened", f"{index}: {inst} ({inst.comment}) {name} + 1", {index: looser})
        for index, inst in waits:
            yield Mutant("wait removed", f"{index}: {inst} ({inst.comment})", {index: None})

    def _barriers(self) -> Iterator[Mutant]:
        barriers = dict(self._spanned("s_barrier"))
        for index, inst in barriers.items():
            yield Mutant("barrier removed", f"{index}: {inst.comment}", {index: None})
        stagger = {index: None for index, inst in barriers.items() if inst.comment in STAGGER}
        if stagger:
            yield Mutant("stagger removed", "both groups in step", stagger)

    def _blocks(self) -> list[list[int]]:
        """The instructions of each fetch in the loop, in the loop's order."""
        program, span = self.kernel.program, self.kernel.span
        found: list[list[int]] = []
        for loop in (mark for mark in program.marks if mark.kind == "loop" and mark.first in span):
            tags = {i: program.instructions[i].tag for i in range(loop.first, loop.last)}
            last = ""
            for index, tag in tags.items():
                if tag.startswith("fetch") and program.instructions[index].mnemonic != "s_nop":
                    if tag != last:
                        found.append([])
                    found[-1].append(index)
                    last = tag
        return found

    def _fetches(self) -> Iterator[Mutant]:
        """Swap fetches that follow each other, and move each in front of the barrier before it."""
        instructions, blocks = self.kernel.program.instructions, self._blocks()
        for first, second in itertools.pairwise(blocks):
            names = f"{instructions[first[0]].tag} and {instructions[second[0]].tag}, {first[0]} and {second[0]}"
            if len(first) == len(second):
                swapped = {a: instructions[b] for a, b in zip(first + second, second + first, strict=True)}
                yield Mutant("fetches swapped", names, program=changed(self.kernel.program, swapped))
        for block in blocks:
            barrier = next((i for i in range(block[0], 0, -1) if instructions[i].mnemonic == "s_barrier"), None)
            if barrier is not None:
                program = _moved(self.kernel.program, block, barrier)
                yield Mutant(
                    "fetch early", f"{instructions[block[0]].tag}, {block[0]} before {barrier}", program=program
                )

    def _orders(self) -> Iterator[Mutant]:
        """Swap neighbours among the schedule's fetches, and move each a phase forward."""
        schedule = self.kernel.schedule
        phases = schedule.phases()
        places = [(p, i) for p, phase in enumerate(phases) for i in range(len(phase.fetches))]
        for (p, i), (q, j) in itertools.pairwise(places):
            grid = [list(phase.fetches) for phase in phases]
            (one, far), (other, near) = grid[p][i], grid[q][j]
            grid[p][i], grid[q][j] = (other, far), (one, near)
            yield Mutant("order swapped", f"{one} and {other}", schedule=_ordered(schedule, grid))
        for p, i in places:
            grid = [list(phase.fetches) for phase in phases]
            name, ahead = grid[p].pop(i)
            grid[p - 1].append((name, ahead + (p == 0)))
            yield Mutant("order early", f"{name} from phase {p}", schedule=_ordered(schedule, grid))

    # Judging.

    def verdicts(self, mutants: Iterable[Mutant]) -> Iterator[tuple[Mutant, Verdict]]:
        """Judge mutants in turn; barriers that may go come last, run together."""
        spare: list[Mutant] = []
        for mutant in mutants:
            if mutant.kind != "barrier removed":
                yield mutant, self.judge(mutant)
            elif (verdict := self.found(mutant)) is not None:
                yield mutant, verdict
            else:
                spare.append(mutant)
        for group in self.together(spare):
            verdict = self._run(self._all_of(group))
            if verdict.outcome != "equivalent" and len(group) > 1:
                yield from ((mutant, self._run(mutant)) for mutant in group)
                continue
            beside = f", without {len(group)} barriers at once" if len(group) > 1 else ""
            yield from ((mutant, Verdict(verdict.outcome, verdict.detail + beside)) for mutant in group)

    def judge(self, mutant: Mutant) -> Verdict:
        """Find a mutant out."""
        return self.found(mutant) or self._run(mutant)

    def together(self, mutants: Iterable[Mutant]) -> list[list[Mutant]]:
        """Return the mutants in few groups that the verifier proves to be sound and one number of K steps reaches."""
        groups: list[tuple[int, list[Mutant]]] = []
        for mutant in mutants:
            trips = self._reaching(mutant)[0]
            for reached, group in groups:
                if reached == trips and self.found(self._all_of([*group, mutant])) is None:
                    group.append(mutant)
                    break
            else:
                groups.append((trips, [mutant]))
        return [group for _, group in groups]

    def _reaching(self, mutant: Mutant) -> list[int]:
        """Return the two smallest numbers of K steps with which waves execute what was changed; whole turns for all."""
        changed = (mutant.changes or {}).keys()
        turns = self.kernel.schedule.depth + 1
        reach = [trips for trips in sorted(TRIPS) if changed & self._executed(trips)] if changed else []
        return reach[:2] or [turns, turns + self.kernel.schedule.depth]

    def _executed(self, trips: int) -> set[int]:
        return {event.index for events in self.course(trips)._events.values() for event in events}

    @staticmethod
    def _all_of(mutants: Sequence[Mutant]) -> Mutant:
        """Return one mutant with all the changes."""
        changes = {index: inst for mutant in mutants for index, inst in (mutant.changes or {}).items()}
        return replace(mutants[0], changes=changes)

    def _mutated(self, mutant: Mutant) -> Carrier:
        if mutant.schedule is not None:
            return self.kernel.with_schedule(mutant.schedule)
        program = mutant.program or changed(self.kernel.program, mutant.changes or {})
        return self.kernel.with_program(program)

    def found(self, mutant: Mutant) -> Verdict | None:
        """Return who finds a mutant without a checked run: the plan or the verifier. None if neither does."""
        gemm = self._mutated(mutant)
        try:
            program = gemm.program
        except ScheduleError as error:
            return Verdict("refused", str(error).splitlines()[0])
        for finding in check_waits(program):
            return Verdict("verifier", finding.rule)
        for trips in self.trips:
            course = self.course(trips) if mutant.changes is not None else gemm.course(trips)
            proof = course.verify(mutant.changes)
            for finding in proof.findings:
                return Verdict("verifier", f"{finding.rule} at {trips} K steps")
            if not proof.repeats and trips >= self.trips[-2]:
                return Verdict("missed", "turns do not repeat")
        return None

    def _run(self, mutant: Mutant) -> Verdict:
        """Run a mutant that the verifier proved to be sound: strictly, then with random timing."""
        code = self._mutated(mutant).program.encode()
        if code not in self._ran:
            self._ran[code] = self._launched(mutant)
        return self._ran[code]

    def _launched(self, mutant: Mutant) -> Verdict:
        gemm = self._mutated(mutant)
        for trips in RUNS:
            try:
                _, got, want = gemm.run(trips)
            except (WaitError, RaceError, HazardError) as error:
                return Verdict("missed", str(error).splitlines()[0])
            except HkasmError as error:  # values that nobody wrote, addresses outside: wrong data, not a race
                return Verdict("result", f"{str(error).splitlines()[0]} at {trips} K steps")
            if not np.array_equal(got, want):
                return Verdict("result", f"wrong at {trips} K steps")
        known: set[tuple[str, str, int]] = set()  # runs without chance, which are the same each time
        for options, trips in zip(timings(self.random_runs, 0), itertools.cycle(self._reaching(mutant)), strict=False):
            same = (options.landing, options.order, trips)
            if same in known:
                continue
            if "random" not in same:
                known.add(same)
            _, got, want = gemm.run(trips, replace(options, checks=(), strict=False))
            if not np.array_equal(got, want):
                return Verdict("missed", f"wrong at {trips} K steps by {options}")
        return Verdict("equivalent", f"proved for any timing and number of K steps; {self.random_runs} runs alike")


def carrier(label: str) -> Carrier:
    """Return the small GEMM, or the library's attention, under the schedule of a label."""
    return TileAttention.of(label) if label in LABELS else TileGemm(get_schedule(label))


def _moved(program: Program, block: Sequence[int], barrier: int) -> Program:
    """The program with some instructions in front of an earlier one, and the wait states that it then needs."""
    instructions = program.instructions
    moved = {id(instructions[index]) for index in block}
    body = []
    for item in program.body:
        if item is instructions[barrier]:
            body += [instructions[index] for index in block]
        if id(item) not in moved:
            body.append(item)
    return program.with_body(fix_hazards(body, program.arch))


def _ordered(schedule: Schedule, fetches: list[list[Fetch]]) -> Schedule:
    data = schedule.as_dict()
    phases = [
        replace(phase, fetch=mine[0] if len(mine) == 1 else tuple(mine))
        for phase, mine in zip(schedule.phases(), fetches, strict=True)
    ]
    data["phases"] = [Phase.as_dict(phase) for phase in phases]
    return RecordedSchedule(data)


# The published race.


class PublishedFp8Order(Schedule):
    """HipKittens' 8-wave FP8 order (kernels/gemm/fp8fp32/FP8_8wave before its pull request 40): A before B."""

    name = "published-fp8-order"
    groups, depth, priority = 2, 2, 1

    def steady(self, k: int) -> Iterator[Phase]:
        yield Phase(read=("B0", "A0"), fetch=("A1", k + 1), compute="C00")
        yield Phase(read=("B1",), fetch=("A0", k + 2), compute="C01")
        yield Phase(read=("A1",), fetch=("B0", k + 2), compute="C10")
        yield Phase(fetch=("B1", k + 2), compute="C11")


def published(gemm: Carrier) -> Mutant:
    """Change hkasm's waits of the published order to the published ones: reads of A outstanding over the barrier."""
    instructions = gemm.program.instructions
    changes: dict[int, Instruction | None] = {}
    for index in gemm.span:
        inst = instructions[index]
        if inst.mnemonic == "s_waitcnt" and "reads of A0" in inst.comment:
            before = itertools.takewhile(lambda i: instructions[i].mnemonic != "s_barrier", range(index - 1, 0, -1))
            reads = sum(instructions[i].tag == "read A0" for i in before)
            # The wait and the barrier move up, into the place of s_setprio, so that behind them the reads can be waited
            # for before the products.
            assert [instructions[index + i].mnemonic for i in (-1, 1)] == ["s_setprio", "s_barrier"]
            vmcnt = unpack_waitcnt(inst.operands[0]).vmcnt  # type: ignore[arg-type]
            changes[index - 1] = _waiting(gemm, inst, vmcnt, reads)
            changes[index], changes[index + 1] = instructions[index + 1], _waiting(gemm, inst, None, 0)
    assert changes
    return Mutant("published order", "A0 is fetched over reads of the lagging group", changes)


def _waiting(gemm: Carrier, inst: Instruction, vmcnt: int | None, lgkmcnt: int) -> Instruction:
    simm16 = pack_waitcnt(gemm.program.arch, vmcnt, lgkmcnt)
    return Instruction(inst.spec, inst.encoding, (simm16,), inst.mods, inst.origin)
