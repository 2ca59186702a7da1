"""Checks the waits of any program over its whole control flow: no register is used while a load may still write it.

What may be in flight is followed along every path, per counter with its drain order (`hkasm.isa.counters`): VMEM and
LDS operations land in order among themselves, scalar loads in any order, and while a FLAT operation is outstanding a
partial count says nothing (LLVM's SIInsertWaitcnts takes the same view). What counts are the `s_waitcnt`s that stand
in the program, whoever wrote them, and that a counter which is full holds the next operation up. A called function is
taken to wait for everything at its start, as LLVM's do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hkasm.analysis.finding import Finding
from hkasm.analysis.flow import Flow, flow_of, mask_of, registers_of
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import OwnerRange, Program
from hkasm.isa.arch import Arch
from hkasm.isa.counters import COUNTERS, counter_max, unpack_waitcnt
from hkasm.isa.registers import FIRST_SPECIAL, Register

__all__ = ["check_waits"]

_SPECIAL: Final = mask_of([Register("s", FIRST_SPECIAL, 256 - FIRST_SPECIAL)])
"""VCC, EXEC and their kin: memory operations write none of them late."""


@dataclass(frozen=True, slots=True)
class _Act:
    """What an instruction does to the counters and registers, as far as waits care.

    ``counters`` are raised; ``lands`` is the mask of registers that arrive late; ``ordered`` tells whether it lands in
    the counter's order. ``waits`` are an `s_waitcnt`'s counts.
    """

    counters: tuple[str, ...]
    lands: int
    ordered: bool
    reads: int
    writes: int
    waits: tuple[tuple[str, int], ...]


class _State:
    """What may be in flight: for each counter a clock, and the clock of each producer's last issue."""

    __slots__ = ("clocks", "flying", "unordered")

    def __init__(self) -> None:
        self.clocks = dict.fromkeys(COUNTERS, 0)
        self.flying: dict[str, dict[int, int]] = {name: {} for name in COUNTERS}
        self.unordered: dict[str, set[int]] = {name: set() for name in COUNTERS}

    def copy(self) -> _State:
        other = _State()
        other.clocks = dict(self.clocks)
        other.flying = {name: dict(found) for name, found in self.flying.items()}
        other.unordered = {name: set(found) for name, found in self.unordered.items()}
        return other

    def merge(self, other: _State, limits: dict[str, int]) -> bool:
        """Take in what another path brings; true if that told anything new."""
        changed = False
        for name, theirs in other.flying.items():
            mine, shift = self.flying[name], self.clocks[name] - other.clocks[name]
            oldest = self.clocks[name] - limits[name]
            for producer, stamp in theirs.items():
                here = max(stamp + shift, oldest)
                if mine.get(producer, oldest - 1) < here:
                    mine[producer] = here
                    changed = True
            if not other.unordered[name] <= self.unordered[name]:
                self.unordered[name] |= other.unordered[name]
                changed = True
        return changed

    def issue(self, index: int, act: _Act, limits: dict[str, int]) -> None:
        for name in act.counters:
            if not act.ordered:
                self.wait(name, limits[name])  # a later scalar load does not bring back what the full counter held up
            self.clocks[name] += 1
            if act.lands or not act.ordered:
                self.flying[name][index] = self.clocks[name]
            if not act.ordered:
                self.unordered[name].add(index)

    def wait(self, name: str, count: int) -> None:
        if count == 0:
            self.flying[name].clear()
            self.unordered[name].clear()
        elif not self.unordered[name]:
            limit = self.clocks[name] - count
            self.flying[name] = {producer: stamp for producer, stamp in self.flying[name].items() if stamp > limit}


def check_waits(program: Program, flow: Flow | None = None) -> list[Finding]:
    """Return a finding for every instruction that reads or overwrites a register too early, on any path.

    Behind a jump through a register nothing is followed. The hint names the count that would have been enough.
    """
    flow = flow or flow_of(program)
    return list(_Check(program, flow).findings())


class _Check:
    def __init__(self, program: Program, flow: Flow) -> None:
        self.program, self.flow = program, flow
        self.instructions = program.instructions
        self.limits = {name: counter_max(program.arch, name) for name in COUNTERS}
        self.acts = _acts(self.instructions, program.arch)

    def findings(self) -> Iterator[Finding]:
        states = self._states()
        for number in sorted(states):
            block, state = self.flow.blocks[number], states[number].copy()
            for index in range(block.first, block.last):
                yield from self._faults(index, state)
                self._step(index, state)

    def _states(self) -> dict[int, _State]:
        """Return what may be in flight at the start of each block that a path leads to."""
        states = {0: _State()} if self.flow.blocks else {}
        work = set(states)
        while work:
            number = min(work)
            work.remove(number)
            block, state = self.flow.blocks[number], states[number].copy()
            for index in range(block.first, block.last):
                self._step(index, state)
            for target in block.successors:
                if target not in states:
                    states[target] = state.copy()
                    work.add(target)
                elif states[target].merge(state, self.limits):
                    work.add(target)
        return states

    def _step(self, index: int, state: _State) -> None:
        act = self.acts[index]
        for name, count in act.waits:
            state.wait(name, count)
        if self.instructions[index].spec.control == "call":
            for name in COUNTERS:
                state.wait(name, 0)
        if act.counters:
            state.issue(index, act, self.limits)

    def _faults(self, index: int, state: _State) -> Iterator[Finding]:
        act = self.acts[index]
        touched = act.reads | act.writes
        if not touched:
            return
        for name, flying in state.flying.items():
            for producer, stamp in flying.items():
                made = self.acts[producer]
                hit = made.lands & touched
                if not hit or (name != made.counters[0] and producer in state.flying[made.counters[0]]):
                    continue  # an operation in two counters is told of once
                if self._in_order(act, made, hit):
                    continue
                age = state.clocks[name] - stamp
                if age < self.limits[name] or state.unordered[name]:
                    yield self._finding(index, producer, name, hit, 0 if state.unordered[name] else age)

    @staticmethod
    def _in_order(act: _Act, made: _Act, hit: int) -> bool:
        """Tell whether both land in the order of one queue: the later one may write the same register."""
        return act.counters == made.counters and act.ordered and made.ordered and not hit & act.reads & ~act.lands

    def _finding(self, index: int, producer: int, name: str, hit: int, count: int) -> Finding:
        consumer, load = self.instructions[index], self.instructions[producer]
        register = registers_of(hit)[0]
        read = bool(hit & self.acts[index].reads)
        owner = _owner(self.program.owners, register.file, register.index, producer)
        named = f" ({owner})" if owner else ""
        of = f" of {load.origin}" if load.origin is not None else ""
        wait = f"s_waitcnt {name}({count})"
        return Finding(
            rule="register-in-flight" if read else "register-overwritten",
            message=(
                f"{'reads' if read else 'overwrites'} {register.text}{named} while {load}{of} "
                f"may still be in flight ({name})"
            ),
            where=consumer.origin,
            instruction=str(consumer),
            other=load.origin,
            hint=f"{wait} before this line" + (f", or k.wait({owner})" if owner else ""),
        )


def _acts(instructions: Sequence[Instruction], arch: Arch) -> list[_Act]:
    known: dict[tuple[int, int], _Act] = {}
    found = []
    for inst in instructions:
        # Instructions that stand again share their operands.
        key = id(inst.spec), id(inst.operands)
        act = known.get(key)
        if act is None:
            act = known[key] = _act(inst, arch)
        found.append(act)
    return found


def _act(inst: Instruction, arch: Arch) -> _Act:
    reads, writes = mask_of(inst.reads()) & ~_SPECIAL, mask_of(inst.writes()) & ~_SPECIAL
    counter = inst.spec.counter
    counters = () if counter is None else COUNTERS if counter == "both" else (counter,)
    ordered = counter != "both" and inst.spec.unit != "SMEM"
    waits: list[tuple[str, int]] = []
    if inst.spec.key == "s_waitcnt" and isinstance(inst.operands[0], int):
        fields = unpack_waitcnt(inst.operands[0])
        waits = [(name, fields.get(name)) for name in COUNTERS if fields.get(name) < counter_max(arch, name)]
    return _Act(counters, writes if counters else 0, ordered, reads, writes, tuple(waits))


def _owner(owners: Sequence[OwnerRange], file: str, number: int, index: int) -> str:
    for one in owners:
        register = one.register
        if register.file == file and register.index <= number < register.end and one.first <= index < one.last:
            return one.name if register.count == 1 else f"{one.name}[{number - register.index}]"
    return ""
