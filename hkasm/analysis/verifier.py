"""The verifier: proves that no wave reads LDS before it landed nor overwrites it before it was read.

It takes any program (hkasm's or foreign) and a *course*: which instructions every wave of a workgroup executed, and
which LDS bytes they touched (`hkasm.emulator.checks.wave_trace` records one). When things landed and in which order
waves ran does not matter: an access lasts from its issue to the wait of its own wave that proves it done, by the drain
order of its counter, and the barriers that a wave has passed number its time. Two accesses of different waves are
ordered only if the one is done in an earlier interval between barriers than the other begins. Direct-to-LDS loads may
be pending over any number of barriers.

Where steps name the LDS regions that they touch, no launch is needed: `static_course` follows the scalar code of each
wave and takes every read of a region to read what every wave fills of it. What it proves holds for any lane addresses
inside the regions.

A course has one number of loop turns. Where its turns repeat themselves (same bytes, same intervals, same waits), more
turns bring nothing new, and the proof holds for every number of them: `Proof.repeats`. Registers need no course:
`hkasm.analysis.waits` follows them along all paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hkasm.analysis.finding import Finding
from hkasm.analysis.flow import flow_of
from hkasm.analysis.scalar import follow
from hkasm.asm.instruction import GROUPED, Instruction
from hkasm.asm.program import Program
from hkasm.isa.counters import unpack_waitcnt

__all__ = ["Course", "Proof", "static_course", "verify_lds"]


class SeenAccess(Protocol):
    """One access of one wave: LDS byte address of every lane, -1 in lanes that take no part."""

    @property
    def space(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def address(self) -> NDArray[Any]: ...


class SeenStep(Protocol):
    """One instruction that a wave executed, by its byte offset."""

    @property
    def offset(self) -> int: ...
    @property
    def accesses(self) -> Sequence[Any]: ...


@dataclass(frozen=True, slots=True)
class Proof:
    """What the verifier found: nothing, or faults. `accesses` were compared over `intervals` between barriers.

    `repeats` tells that the loop's turns repeat, so that the proof holds for any number of turns beyond those seen.
    """

    findings: tuple[Finding, ...]
    accesses: int
    intervals: int
    repeats: bool

    @property
    def holds(self) -> bool:
        return not self.findings


NEVER = 1 << 60


@dataclass(slots=True, eq=False)
class _Access:
    """One wave's LDS access: `bytes` is a bit for each granule; from interval `begin` to `end` it may be under way."""

    wave: int
    index: int
    direct: bool
    writes: bool
    bytes: int
    begin: int
    place: int
    end: int = NEVER
    proven: int = NEVER

    @property
    def counter(self) -> str:
        return "vmcnt" if self.direct else "lgkmcnt"


@dataclass(frozen=True, slots=True)
class _Event:
    """An executed instruction that matters here, and the LDS granules that it touches."""

    index: int
    touched: int = 0
    writes: bool = False
    direct: bool = False


class _Turn(NamedTuple):
    """A wave begins a turn of the loop that starts at instruction `head`."""

    head: int
    interval: int
    place: int


class Course:
    """What the waves of one workgroup executed, ready to be verified, also with some instructions changed.

    `waves` maps wave numbers to their steps. Raises nothing: steps at offsets that no instruction has are left out.
    """

    def __init__(self, program: Program, waves: Mapping[int, Sequence[SeenStep]]) -> None:
        self.program = program
        program.layout()
        self.instructions = program.instructions
        index_of = {inst.offset: index for index, inst in enumerate(self.instructions)}
        self._grain = _granule(waves.values())
        self._masks: dict[bytes, int] = {}
        self._events = {
            wave: [self._event(index_of[step.offset], step) for step in steps if step.offset in index_of]
            for wave, steps in waves.items()
        }
        self._heads = {first for first, _ in flow_of(program).loops}
        matters = {index for index, inst in enumerate(self.instructions) if _matters(inst)} | self._heads
        self._events = {
            wave: [event for event in events if event.index in matters] for wave, events in self._events.items()
        }

    def _event(self, index: int, step: SeenStep) -> _Event:
        touched, writes, direct = 0, False, False
        for access in step.accesses:
            if access.space != "lds":
                continue
            touched |= self._mask(access)
            writes = writes or access.kind != "load"
            direct = direct or access.kind == "direct"
        return _Event(index, touched, writes, direct)

    def _mask(self, access: SeenAccess) -> int:
        address = np.asarray(access.address)
        key = address.tobytes() + access.size.to_bytes(4, "little")
        found = self._masks.get(key)
        if found is None:
            first = address[address >= 0] // self._grain
            granules = np.unique(first[:, None] + np.arange(max(access.size // self._grain, 1)))
            bits = np.zeros(int(granules[-1]) + 1 if granules.size else 0, bool)
            bits[granules] = True
            found = self._masks[key] = int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
        return found

    def verify(self, changes: Mapping[int, Instruction | None] | None = None) -> Proof:
        """Prove the course, or find what is wrong with it.

        `changes` puts other instructions (waits, say) in place of some, by index, or leaves them out (None). They must
        be ones that count or only order others (waits, barriers, priorities). The waves are taken to go the same way
        and to touch the same bytes.
        """
        changed = changes or {}
        accesses: list[_Access] = []
        turns: dict[int, list[_Turn]] = {}
        passed: dict[int, int] = {}
        for wave, events in self._events.items():
            found, passed[wave], turns[wave] = self._follow(wave, events, changed)
            accesses += found
        last = max(passed.values(), default=0)
        findings = [*_uneven(passed), *self._collisions(accesses, last)]
        return Proof(tuple(findings), len(accesses), last + 1, _repeats(accesses, turns))

    def _follow(
        self, wave: int, events: Iterable[_Event], changed: Mapping[int, Instruction | None]
    ) -> tuple[list[_Access], int, list[_Turn]]:
        """Run one wave: which accesses it makes, how many barriers it passes, where its loop turns begin."""
        queues: dict[str, list[_Access | None]] = {"vmcnt": [], "lgkmcnt": []}
        scalar = False
        made: list[_Access] = []
        starts: list[_Turn] = []
        interval = 0
        for place, event in enumerate(events):
            inst: Instruction | None = self.instructions[event.index]
            if event.index in self._heads:
                starts.append(_Turn(event.index, interval, place))
            if event.index in changed:
                inst = changed[event.index]
            if inst is None:
                continue
            if inst.spec.control == "barrier":
                interval += 1
            elif inst.spec.key == "s_waitcnt" and isinstance(inst.operands[0], int):
                counts = unpack_waitcnt(inst.operands[0])
                for name, queue in queues.items():
                    count = counts.get(name)
                    if name == "lgkmcnt" and scalar:
                        if count:
                            continue  # scalar loads land in any order: only zero tells anything
                        scalar = False
                    done = queue[: max(len(queue) - count, 0)]
                    del queue[: len(done)]
                    for access in done:
                        if access is not None:
                            access.end, access.proven = interval, place
            elif inst.spec.counter is not None:
                access = None
                if event.touched:
                    access = _Access(wave, event.index, event.direct, event.writes, event.touched, interval, place)
                    made.append(access)
                scalar = scalar or inst.spec.unit == "SMEM" or inst.spec.counter == "both"
                for name in queues:
                    if inst.spec.counter in (name, "both"):
                        queues[name].append(access)
        return made, interval, starts

    def _collisions(self, accesses: list[_Access], last: int) -> list[Finding]:
        """Compare what begins in an interval with everything that may be under way in it."""
        begins: dict[int, list[_Access]] = {}
        for access in accesses:
            begins.setdefault(access.begin, []).append(access)
        active: list[_Access] = []
        found: dict[tuple[int, int], tuple[Finding, int]] = {}
        for interval in range(last + 1):
            active = [access for access in active if access.end >= interval]
            fresh = begins.get(interval, [])
            active += fresh
            touched, written = _unions(active)
            for one in fresh:
                others = (union for wave, union in (touched if one.writes else written).items() if wave != one.wave)
                own = touched.get((one.wave), 0) if one.direct else written.get(one.wave, 0)
                if not one.bytes & own and not any(one.bytes & union for union in others):
                    continue
                for other in active:
                    if one is not other and one.bytes & other.bytes and _collide(one, other):
                        first, second = sorted((one, other), key=lambda access: (access.begin, access.place))
                        key = first.index, second.index
                        known = found.get(key)
                        finding = known[0] if known is not None else self._finding(first, second)
                        found[key] = finding, (known[1] if known is not None else 0) + 1
        return [finding for finding, _ in found.values()]

    def _finding(self, first: _Access, second: _Access) -> Finding:
        """Describe two accesses of which neither is known to be over before the other begins."""
        before, after = self.instructions[first.index], self.instructions[second.index]
        both = first.bytes & second.bytes
        rule, verb = "lds-race", "overwrites"
        if first.writes and not second.writes:
            rule, verb = ("lds-in-flight" if first.direct else "lds-race"), "reads"
        elif not first.writes:
            rule = "lds-read-pending"
        verbs = "writes" if first.writes else "reads"
        known = "never waits for it" if first.end == NEVER else "only later waits for it"
        place = f" of {before.origin}" if before.origin is not None else ""
        return Finding(
            rule=rule,
            message=(
                f"{verb} LDS bytes that {before}{place} of wave {first.wave} {verbs}, and no barrier lies between wave "
                f"{first.wave}'s wait for that ({first.counter}; it {known}) and this"
            ),
            where=after.origin,
            instruction=str(after),
            other=before.origin,
            wave=second.wave,
            address=((both & -both).bit_length() - 1) * self._grain,
            hint=f"a wait for {first.counter} and then s_barrier in wave {first.wave}, before this line",
        )


@dataclass(frozen=True, slots=True)
class _Touch:
    """Granules of a region in place of bytes."""

    kind: str
    address: NDArray[np.int64]
    space: str = "lds"
    size: int = 1


@dataclass(frozen=True, slots=True)
class _Executed:
    offset: int
    accesses: tuple[_Touch, ...]


def static_course(
    program: Program,
    waves: Mapping[int, Mapping[int, int]],
    first: int = 0,
    groups: Mapping[int, int] | None = None,
) -> Course:
    """Return what waves execute from instruction `first` on, by their SGPRs there and by the regions that steps name.

    Each wave is taken to fill a part of a region of its own, and to read all parts; of regions that steps call grouped
    those of its group, where `groups` tells the group of each wave.

    Raises:
        UsageError: a branch depends on more than the given registers.
    """
    program.layout()
    instructions = program.instructions
    numbers: dict[object, int] = {}
    courses: dict[int, list[_Executed]] = {}
    group_of = [(groups or {}).get(wave) for wave in waves]
    for place, (wave, registers) in enumerate(waves.items()):
        near = [part for part, group in enumerate(group_of) if group == group_of[place]]
        touches: dict[int, tuple[_Touch, ...]] = {}
        courses[wave] = []
        for index in follow(program, registers, first):
            inst = instructions[index]
            if index not in touches:
                grouped = any(isinstance(region, tuple) and GROUPED in region for region in inst.regions)
                starts = [numbers.setdefault(region, len(numbers)) * len(waves) for region in inst.regions]
                readers = near if grouped else range(len(waves))
                touches[index] = (_touch(inst, starts, place, readers),) if starts else ()
            courses[wave].append(_Executed(inst.offset, touches[index]))
    return Course(program, courses)


def _touch(inst: Instruction, starts: Sequence[int], place: int, readers: Sequence[int]) -> _Touch:
    memory = inst.spec.memory
    kind = "load" if memory is None or not memory.to_lds else "direct"
    if kind == "load" and memory is not None and memory.op != "load":
        kind = "store"
    parts = readers if kind == "load" else (place,)
    return _Touch(kind, np.array([start + part for start in starts for part in parts], np.int64))


def verify_lds(program: Program, waves: Mapping[int, Sequence[SeenStep]]) -> Proof:
    """Verify the LDS accesses of one workgroup's course through a program."""
    return Course(program, waves).verify()


def _collide(one: _Access, other: _Access) -> bool:
    """Tell whether two accesses that may overlap in time and do in bytes are a fault."""
    if not (one.writes or other.writes):
        return False
    if one.wave != other.wave:
        return True
    if not (one.direct or other.direct):
        return False  # LDS operations of one wave are done in order; loads to LDS are only known to land so
    first, second = (one, other) if one.place < other.place else (other, one)
    return first.proven > second.place


def _uneven(passed: Mapping[int, int]) -> Iterator[Finding]:
    """Yield a finding if not all waves pass the same number of barriers."""
    if len(set(passed.values())) > 1:
        most, least = (max(passed, key=lambda wave: sign * passed[wave]) for sign in (1, -1))
        yield Finding(
            rule="barrier-divergent",
            message=f"wave {most} passes {passed[most]} barriers, wave {least} only {passed[least]}",
            wave=least,
            hint="every way through the program must hold as many s_barrier",
        )


def _unions(active: Iterable[_Access]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the granules that each wave may be touching, and those that it may be writing."""
    touched: dict[int, int] = {}
    written: dict[int, int] = {}
    for access in active:
        touched[access.wave] = touched.get(access.wave, 0) | access.bytes
        if access.writes:
            written[access.wave] = written.get(access.wave, 0) | access.bytes
    return touched, written


def _matters(inst: Instruction) -> bool:
    """Tell whether an instruction counts, or only orders others, so that it can be changed for one that waits.

    Branches do not: turns that differ only in what they skip beside memory are alike.
    """
    return inst.spec.counter is not None or inst.spec.key == "s_waitcnt" or inst.spec.control in ("barrier", "prio")


def _granule(waves: Iterable[Sequence[SeenStep]]) -> int:
    """Return the largest power of two that divides every address and size, at most 16 bytes."""
    bits = 16
    for steps in waves:
        for step in steps:
            for access in step.accesses:
                if access.space == "lds":
                    address = np.asarray(access.address)
                    used = address[address >= 0]
                    bits |= access.size | (int(np.bitwise_or.reduce(used)) if used.size else 0)
    return bits & -bits


def _repeats(accesses: Sequence[_Access], turns: Mapping[int, Sequence[_Turn]]) -> bool:
    """Tell whether more turns of the loop would bring nothing new.

    So it is if somewhere two turns in a row are the same in every wave, and as far from those of the other waves, and
    what begins in one is over before the one after the next.
    """
    made: dict[int, list[_Access]] = {}
    for access in accesses:
        made.setdefault(access.wave, []).append(access)
    signed = {wave: list(_signatures(made.get(wave, ()), begun)) for wave, begun in turns.items()}
    least = min(map(len, signed.values()), default=0)
    reference = next(iter(signed.values()), [])
    for t in range(least - 1):
        same = all(signs[t][1] is not None and signs[t][1] == signs[t + 1][1] for signs in signed.values())
        lags = ({signs[i][0] - reference[i][0] for i in (t, t + 1)} for signs in signed.values())
        if same and all(len(lag) == 1 for lag in lags):
            return True
    return False


_Signature = tuple[object, ...] | None


def _signatures(made: Sequence[_Access], begun: Sequence[_Turn]) -> Iterator[tuple[int, _Signature]]:
    """Yield of each whole turn of a wave in which interval it begins and what it does; None if it lasts too long."""
    position = 0
    for turn, after, later in zip(begun, begun[1:], begun[2:], strict=False):
        if not turn.head == after.head == later.head:
            continue
        while position < len(made) and made[position].place < turn.place:
            position += 1
        acts = []
        scan = position
        while scan < len(made) and made[scan].place < after.place:
            acts.append(made[scan])
            scan += 1
        start = turn.interval
        sign = (
            turn.head,
            after.interval - start,
            *((a.index, a.bytes, a.begin - start, a.end - start, a.proven - turn.place) for a in acts),
        )
        yield start, sign if all(a.proven < later.place + (later.place - after.place) for a in acts) else None
