"""What a launch did, kept wave by wave, and a second opinion on it that shares no code with the emulator's checks.

A `Journal` keeps the order of instructions of every wave and the LDS bytes that each touched. `Replay` counts the
outstanding operations of each wave again, from the instructions alone, and so says for each operation which wait proved
it done, what was outstanding at each wait, and whether anything touched a register or LDS byte too early on this path.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hkasm.asm.instruction import Instruction
from hkasm.emulator.listener import Listener
from hkasm.isa.arch import get_arch
from hkasm.isa.counters import unpack_waitcnt
from hkasm.isa.registers import Register

WaveId = tuple[int, int]
"""Workgroup number, wave."""
FILES = {"s": 0, "v": 256, "a": 1024}


@dataclass(frozen=True)
class Access:
    """LDS dwords that the instruction at a place of a wave's sequence read or wrote."""

    place: int
    writes: bool
    direct: bool
    atomic: bool
    dwords: npt.NDArray[np.int64]


class Journal(Listener):
    """Keep every wave's instructions (offsets) and its LDS accesses."""

    name = "journal"

    def __init__(self) -> None:
        self.order: dict[WaveId, list[int]] = defaultdict(list)
        self.accesses: dict[WaveId, list[Access]] = defaultdict(list)

    @property
    def offsets(self) -> set[int]:
        """Offsets of all instructions that some wave executed."""
        return {offset for order in self.order.values() for offset in order}

    def issue(self, batch: Any, op: Any) -> None:
        for wave in self._waves(batch):
            self.order[wave].append(op.index)

    def lds_read(self, batch: Any, pending: Any, index: Any, size: int, lanes: Any) -> None:
        self._keep(batch, index, size, lanes, writes=False)

    def lds_write(self, batch: Any, pending: Any, index: Any, size: int, lanes: Any, atomic: bool) -> None:
        self._keep(batch, index, size, lanes, writes=True, atomic=atomic)

    def lds_load(self, batch: Any, pending: Any, index: Any, size: int, lanes: Any) -> None:
        self._keep(batch, index, size, lanes, writes=True, direct=True)

    def _waves(self, batch: Any) -> list[WaveId]:
        first = batch.run.numbers.start
        return [(first + int(g), int(w)) for g, w in zip(batch.group, batch.wave, strict=True)]

    def _keep(
        self, batch: Any, index: Any, size: int, lanes: Any, *, writes: bool, direct: bool = False, atomic: bool = False
    ) -> None:
        index = np.broadcast_to(index, (batch.waves, 64))
        for row, wave in enumerate(self._waves(batch)):
            local = index[row] - int(batch.lds_base[row, 0])
            used = local if lanes is None else local[np.broadcast_to(lanes, index.shape)[row]]
            dwords = np.unique((used[:, None] + np.arange(0, size, min(size, 4))) >> 2)
            self.accesses[wave].append(Access(len(self.order[wave]) - 1, writes, direct, atomic, dwords))


@dataclass
class Visit:
    """One wait executed by one wave: what was outstanding, and the places of the operations that it retired."""

    vm: int
    lgkm: int
    retired: tuple[int, ...]


@dataclass
class Course:
    """One sequence of instructions: when each operation was proven done, every wait, and the first fault."""

    done: dict[int, int] = field(default_factory=dict)
    visits: dict[int, list[Visit]] = field(default_factory=lambda: defaultdict(list))
    phase: list[int] = field(default_factory=list)
    touched_early: str = ""


class Replay:
    """The waits of a journal, counted again from the instructions of `program` (offset -> instruction)."""

    def __init__(self, journal: Journal, instructions: Sequence[Instruction], arch: str) -> None:
        self.journal, self.arch = journal, get_arch(arch)
        self.at = {inst.offset: inst for inst in instructions}
        self._bits = {inst.offset: bits(inst.reads()) | bits(inst.writes()) for inst in instructions}
        self._courses: dict[tuple[int, ...], Course] = {}
        self.course: dict[WaveId, Course] = {}
        for wave, order in journal.order.items():
            key = tuple(order)
            if key not in self._courses:
                self._courses[key] = self._follow(key)
            self.course[wave] = self._courses[key]

    def _follow(self, order: tuple[int, ...]) -> Course:
        course = Course()
        vm: list[int] = []
        lds: list[int] = []
        scalar: list[int] = []
        flying: dict[int, int] = {}
        flats: dict[int, int] = {}
        barriers = 0

        def retire(done: list[int], at: int) -> None:
            for p in done:
                if p in flats:
                    flats[p] -= 1
                    if flats[p]:
                        continue
                course.done[p] = at
                flying.pop(p, None)

        for place, offset in enumerate(order):
            inst = self.at[offset]
            spec = inst.spec
            course.phase.append(barriers)
            if spec.control == "barrier":
                barriers += 1
            if spec.control == "wait":
                vmcnt, lgkmcnt = self.counts(inst)
                visit = Visit(len(vm), len(lds) + len(scalar), ())
                retired = []
                if vmcnt is not None and len(vm) > vmcnt:
                    # A FLAT operation may have been an LDS one, and then leaves this queue out of order.
                    extra = sum(p in flats for p in vm) if vmcnt else 0
                    take = max(len(vm) - vmcnt - extra, 0)
                    retired, vm = vm[:take], vm[take:]
                if lgkmcnt is not None:
                    take = max(len(lds) - lgkmcnt, 0)
                    retired, lds = retired + lds[:take], lds[take:]
                    if lgkmcnt == 0:
                        retired, scalar = retired + scalar, []
                retire(retired, place)
                visit.retired = tuple(retired)
                course.visits[offset].append(visit)
                continue
            if flying and not course.touched_early:
                mine = self._bits[offset]
                for p, dest in flying.items():
                    if mine & dest:
                        course.touched_early = f"{inst} touches what {self.at[order[p]]} has yet to write"
                        break
            if spec.counter is None or spec.memory is None:
                continue
            if spec.counter == "both":
                vm.append(place)
                scalar.append(place)
                flats[place] = 2
            elif spec.counter == "vmcnt":
                vm.append(place)
            elif spec.unit == "LDS":
                lds.append(place)
            else:
                scalar.append(place)
            # A counter that is full holds an operation up until the oldest is done; with FLAT ones among those that it
            # counts nobody knows which that is.
            for queue, most in ((vm, self.arch.vmcnt_max), (lds, self.arch.lgkmcnt_max)):
                if len(queue) > most and not any(p in flats for p in queue):
                    retire(queue[: len(queue) - most], place)
                    del queue[: len(queue) - most]
            dest = bits(inst.writes()) & ~1
            if dest and not spec.memory.to_lds:
                flying[place] = dest
        return course

    def counts(self, inst: Instruction) -> tuple[int | None, int | None]:
        """What a wait waits for: vmcnt and lgkmcnt, None where it says nothing."""
        simm16 = inst.operands[0]
        assert isinstance(simm16, int)
        counts = unpack_waitcnt(simm16)
        return (
            counts.vmcnt if counts.vmcnt < self.arch.vmcnt_max else None,
            counts.lgkmcnt if counts.lgkmcnt < self.arch.lgkmcnt_max else None,
        )

    def waits(self, offset: int) -> list[tuple[Course, Visit]]:
        """Every different way in which a wait was met."""
        return [(course, visit) for course in self._courses.values() for visit in course.visits.get(offset, ())]

    def is_direct(self, offset: int) -> bool:
        """Whether a wait proved a direct-to-LDS load done, in any visit."""
        for order, course in self._courses.items():
            for visit in course.visits.get(offset, ()):
                for place in visit.retired:
                    memory = self.at[order[place]].spec.memory
                    if memory is not None and memory.to_lds:
                        return True
        return False

    def retired_kinds(self, offset: int) -> set[str]:
        """`load`, `store` or `direct`, of all operations that a wait retired."""
        kinds = set()
        for order, course in self._courses.items():
            for visit in course.visits.get(offset, ()):
                for place in visit.retired:
                    memory = self.at[order[place]].spec.memory
                    assert memory is not None
                    kinds.add("direct" if memory.to_lds else memory.op)
        return kinds

    def fault(self) -> str:
        """The first thing on the journal's path that comes before it may, empty if there is none."""
        for course in self._courses.values():
            if course.touched_early:
                return course.touched_early
        groups: dict[int, list[int]] = defaultdict(list)
        for group, wave in self.journal.accesses:
            groups[group].append(wave)
        for group, waves in groups.items():
            if self._shared(group, waves):
                return "waves share LDS bytes with no barrier between"
            if any(self._own_direct((group, wave)) for wave in waves):
                return "a wave touches LDS bytes that its own direct-to-LDS load owns"
        return ""

    def _shared(self, group: int, waves: list[int]) -> bool:
        """Whether two waves touch a dword in one phase, one of them writing; an access lasts until its wait."""
        ids = [(group, wave) for wave in waves]
        size = 1 + max(int(a.dwords.max(initial=0)) for i in ids for a in self.journal.accesses[i])
        phases = 1 + max(self.course[i].phase[-1] for i in ids)
        read = np.zeros((phases, size), dtype=np.uint16)
        written = np.zeros_like(read)
        single = np.zeros_like(read)
        for i in ids:
            course, bit = self.course[i], np.uint16(1 << i[1])
            for access in self.journal.accesses[i]:
                done = course.done.get(access.place)
                last = phases - 1 if done is None else course.phase[done]
                target = read if not access.writes else single if access.atomic else written
                for phase in range(course.phase[access.place], last + 1):
                    target[phase, access.dwords] |= bit
        everybody = read | written | single
        several = (everybody & (everybody - np.uint16(1))) != 0
        plain = read | written
        return bool((several & ((written != 0) | ((single != 0) & (plain != 0)))).any())

    def _own_direct(self, wave: WaveId) -> bool:
        course, accesses = self.course[wave], self.journal.accesses[wave]
        end = len(course.phase)
        for load in (access for access in accesses if access.direct):
            done = course.done.get(load.place, end)
            for other in accesses:
                if other.direct or other.place >= done or course.done.get(other.place, end) <= load.place:
                    continue
                if np.intersect1d(load.dwords, other.dwords).size:
                    return True
        return False

    def addresses(self) -> dict[WaveId, list[bytes]]:
        """The LDS dwords of all accesses, for comparing two runs."""
        return {wave: [a.dwords.tobytes() for a in found] for wave, found in self.journal.accesses.items()}


def bits(registers: Sequence[Register]) -> int:
    """One bit for each register."""
    found = 0
    for register in registers:
        found |= ((1 << register.count) - 1) << (FILES[register.file] + register.index)
    return found
