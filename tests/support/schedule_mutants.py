"""Mutants of lowered schedules, and what finds them out.

A mutant of the program is judged by the verifier (waits on all paths, LDS along the courses of several numbers of K
steps), then, if that proves it sound, by strict runs on the emulator and their results. A mutant of the schedule itself
may already be refused by the plan. What nothing finds is *equivalent* if the verifier proves it for every number of K
steps and the results are right; a wait or a race that the emulator finds in a program that the verifier passed was
*missed*.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
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
    "order swapped", "order early",
)  # fmt: skip
OUTCOMES = ("refused", "verifier", "result", "equivalent", "missed")
TRIPS = (1, 2, 3, 4, 5, 6)
"""Numbers of K steps that run every copy of every step."""
TURNS = 6
"""Turns of the loop that show that they repeat."""
RUNS = (1, 2, 5, 6)
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


class Subject:
    """The small GEMM, or the library's attention with heads of `d`, under one schedule, with its courses."""

    def __init__(self, label: str, d: int = 64) -> None:
        self.label = label
        self.kernel: TileGemm | TileAttention = (
            TileAttention.of(label, d) if label in LABELS else TileGemm(get_schedule(label))
        )

    @cached_property
    def courses(self) -> list[Course]:
        """The unmutated courses; raises if they are not sound, or do not repeat."""
        found = [self.kernel.course(trips) for trips in self.trips]
        proofs = [course.verify() for course in found]
        assert all(proof.holds for proof in proofs)
        assert all(proof.repeats for proof in proofs[-2:])
        assert not check_waits(self.kernel.program)
        return found

    @property
    def trips(self) -> tuple[int, ...]:
        """Numbers of K steps to judge by; the last two show whether turns repeat."""
        long = TURNS * self.kernel.schedule.depth
        return (*TRIPS, long, long + 1)

    # Mutants.

    def mutants(self) -> Iterator[Mutant]:
        """Yield all mutants, class by class in the program's order."""
        yield from self._waits()
        yield from self._barriers()
        yield from self._fetches()
        yield from self._orders()

    def _waits(self) -> Iterator[Mutant]:
        arch = self.kernel.program.arch
        waits = [(i, inst) for i, inst in enumerate(self.kernel.program.instructions) if inst.mnemonic == "s_waitcnt"]
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
        barriers = {i: inst for i, inst in enumerate(self.kernel.program.instructions) if inst.mnemonic == "s_barrier"}
        for index, inst in barriers.items():
            yield Mutant("barrier removed", f"{index}: {inst.comment}", {index: None})
        stagger = {index: None for index, inst in barriers.items() if inst.comment in STAGGER}
        if stagger:
            yield Mutant("stagger removed", "both groups in step", stagger)

    def _blocks(self) -> list[list[int]]:
        """The instructions of each fetch in the loop, in the loop's order."""
        program = self.kernel.program
        found: list[list[int]] = []
        for loop in (mark for mark in program.marks if mark.kind == "loop"):
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

    def judge(self, mutant: Mutant) -> Verdict:
        """Find a mutant out."""
        kernel: TileGemm | TileAttention
        if mutant.schedule is not None:
            kernel = replace(self.kernel, schedule=mutant.schedule)
            try:
                program = kernel.program
            except ScheduleError as error:
                return Verdict("refused", str(error).splitlines()[0])
        elif mutant.program is not None:
            kernel, program = self.kernel.with_changes({}), mutant.program
            kernel.__dict__["program"] = program
        else:
            assert mutant.changes is not None
            kernel = self.kernel.with_changes(mutant.changes)
            program = kernel.program
        for finding in check_waits(program):
            return Verdict("verifier", finding.rule)
        courses = self.courses if mutant.changes is not None else [kernel.course(trips) for trips in self.trips]
        repeats = True
        for trips, course in zip(self.trips, courses, strict=True):
            proof = course.verify(mutant.changes)
            for finding in proof.findings:
                return Verdict("verifier", f"{finding.rule} at {trips} K steps")
            repeats = repeats and (proof.repeats or trips < self.trips[-2])
        for trips in RUNS:
            try:
                _, got, want = kernel.run(trips)
            except (WaitError, RaceError, HazardError) as error:
                return Verdict("missed", str(error).splitlines()[0])
            except HkasmError as error:  # values that nobody wrote, addresses outside: wrong data, not a race
                return Verdict("result", f"{str(error).splitlines()[0]} at {trips} K steps")
            if not np.array_equal(got, want):
                return Verdict("result", f"wrong at {trips} K steps")
        return Verdict("equivalent" if repeats else "missed", "proved for any number of K steps" if repeats else "")

    def confirm(self, mutant: Mutant, runs: int) -> str:
        """Run a mutant whose instructions are changed with memory and waves in random order; return the first fault."""
        assert mutant.changes is not None
        kernel = self.kernel.with_changes(mutant.changes)
        for seed in range(runs):
            trips = TRIPS[seed % len(TRIPS)]
            try:
                _, got, want = kernel.run(trips, Options(landing="random", order="random", seed=seed))
            except HkasmError as error:
                return f"{str(error).splitlines()[0]} at {trips} K steps, seed {seed}"
            if not np.array_equal(got, want):
                return f"wrong at {trips} K steps, seed {seed}"
        return ""


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
