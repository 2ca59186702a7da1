"""Finds missing wait states along every path of a program, and puts in the fewest `s_nop` that mend them.

The rules are `hkasm.isa.hazards`'. From each instruction the program is walked backwards over all predecessors, no
farther than its rules look; the nearest hit of each search decides. At level `cycles` the distance is counted in issue
slots of 4 cycles, a matrix instruction waiting until the matrix pipe is free, instead of in wait states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hkasm.asm.instruction import Instruction, Label
from hkasm.errors import UsageError, did_you_mean
from hkasm.isa.arch import Arch
from hkasm.isa.hazards import (
    LEVELS,
    HazardFacts,
    HazardRule,
    Query,
    Search,
    hazard_facts,
    produced_by,
    queries,
    wait_states_of,
)
from hkasm.isa.spec import get_spec

__all__ = ["Hazard", "find_hazards", "fix_hazards"]

Item = Instruction | Label
_NO_FALL_THROUGH = frozenset(("branch", "end", "jump", "trap_return"))
_NOP_STATES = 16
"""Wait states of the longest `s_nop` (simm16[3:0] + 1)."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """Two instructions too close together: their places among the instructions, what the rule wants, what is there."""

    rule: HazardRule
    producer: int
    consumer: int
    needed: int
    found: int

    @property
    def missing(self) -> int:
        """Return the wait states to put in before the consumer."""
        return self.needed - self.found


def find_hazards(items: Sequence[Item], arch: Arch, level: str = "all") -> list[Hazard]:
    """Return the worst hazard of every instruction that has one, in program order.

    `level`: `llvm` is LLVM's strict table, `cycles` leaves out rules that shipped kernels live without and counts
    elapsed issue slots, `all` is the strict count of every rule.
    """
    scan = _Scan(items, arch, level)
    found = (scan.worst(index) for index in range(len(scan.instructions)))
    return [hazard for hazard in found if hazard is not None]


def fix_hazards(items: Sequence[Item], arch: Arch, level: str = "all") -> list[Item]:
    """Return the program with the fewest `s_nop` that satisfy the rules, each right before the instruction that waits.

    Instructions that are there already count as wait states. Ways round a loop are looked at after all straight ways,
    so that nops of the loop's body count for them.
    """
    scan = _Scan(items, arch, level)
    spec = get_spec("s_nop", arch)
    for backwards in (False, True):
        for index in range(len(scan.instructions)):
            hazard = scan.worst(index, backwards=backwards)
            missing = hazard.missing if hazard is not None else 0
            while hazard is not None and missing > 0:
                states = min(missing, _NOP_STATES)
                before = scan.instructions[index]
                scan.insert(
                    Instruction(
                        spec,
                        spec.encodings[0],
                        (states - 1,),
                        {},
                        before.origin,
                        comment=hazard.rule.name,
                        tag=before.tag,
                    ),
                    index,
                )
                missing -= states
    return scan.items()


class _Scan:
    """The instructions of a program with their predecessors, and the facts that rules need."""

    def __init__(self, items: Sequence[Item], arch: Arch, level: str) -> None:
        if level not in LEVELS:
            raise UsageError(
                f"no hazard level '{level}'", hint=did_you_mean(level, LEVELS) or f"levels: {', '.join(LEVELS)}"
            )
        self.arch, self.level = arch.name, level
        self.by_cycles = level == "cycles"
        self.labels_before: dict[int, list[Label]] = {}
        self.instructions: list[Instruction] = []
        pending: list[Label] = []
        for item in items:
            if isinstance(item, Label):
                pending.append(item)
            else:
                self.labels_before[len(self.instructions)] = pending
                self.instructions.append(item)
                pending = []
        self.trailing = pending
        self.nops: dict[int, list[Instruction]] = {}
        self.nop_states: dict[int, int] = {}
        self.facts: list[HazardFacts] = [hazard_facts(self.arch, inst) for inst in self.instructions]
        self.produced: list[dict[Search, int]] = [produced_by(facts) for facts in self.facts]
        self.predecessors = self._flow()

    def items(self) -> list[Item]:
        """Return the program with the nops that were put in."""
        body: list[Item] = []
        for index, inst in enumerate(self.instructions):
            body += self.labels_before[index]
            body += self.nops.get(index, ())
            body.append(inst)
        return body + list(self.trailing)

    def insert(self, nop: Instruction, before: int) -> None:
        """Put a nop before an instruction; it is on every way into it."""
        self.nops.setdefault(before, []).append(nop)
        self.nop_states[before] = self.nop_states.get(before, 0) + wait_states_of(nop)

    def _flow(self) -> list[list[int]]:
        count = len(self.instructions)
        target_of = {label.name: index for index, labels in self.labels_before.items() for label in labels}
        by_offset = {inst.offset: index for index, inst in enumerate(self.instructions) if inst.offset >= 0}
        found: list[list[int]] = [[] for _ in range(count)]
        for index, inst in enumerate(self.instructions):
            if inst.spec.control not in _NO_FALL_THROUGH and index + 1 < count:
                found[index + 1].append(index)
            for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
                if operand.type != "label":
                    continue
                if isinstance(value, Label):
                    target = target_of.get(value.name)
                elif isinstance(value, int):
                    distance = (value & 0xFFFF ^ 0x8000) - 0x8000
                    target = by_offset.get(inst.offset + inst.size + 4 * distance)
                else:
                    target = None
                if target is not None and index not in found[target]:
                    found[target].append(index)
        return found

    def worst(self, consumer: int, *, backwards: bool = True) -> Hazard | None:
        """Return the hazard of an instruction that lacks most wait states, over all paths.

        Without `backwards` only over paths that do not jump back.
        """
        waiting: dict[Search, tuple[Query, ...]] = {}
        for query in queries(self.arch, self.facts[consumer], self.level):
            waiting[query.search] = (*waiting.get(query.search, ()), query)
        if not waiting:
            return None
        limit = max(query.limit for group in waiting.values() for query in group)
        best: Hazard | None = None
        seen: set[tuple[int, int, frozenset[int]]] = set()
        work: list[tuple[int, int, dict[Search, tuple[Query, ...]], tuple[int, ...]]] = []
        self._push(work, consumer, self.nop_states.get(consumer, 0), waiting, (), backwards)
        while work:
            index, elapsed, waiting, path = work.pop()
            if elapsed >= limit:
                continue
            if self.by_cycles is False and len(self.predecessors[index]) > 1:
                key = (index, elapsed, frozenset(id(query) for group in waiting.values() for query in group))
                if key in seen:
                    continue
                seen.add(key)
            produced = self.produced[index]
            for search in produced.keys() & waiting.keys():
                hits = [query for query in waiting[search] if produced[search] & query.mask]
                for query in hits:
                    best = self._judge(query, index, consumer, elapsed, path, best)
                if hits:
                    waiting = {**waiting, search: tuple(query for query in waiting[search] if query not in hits)}
                    if not waiting[search]:
                        del waiting[search]
            if waiting:
                after = elapsed + self.facts[index].states + self.nop_states.get(index, 0)
                self._push(work, index, after, waiting, (index, *path), backwards)
        return best

    def _push(
        self,
        work: list[tuple[int, int, dict[Search, tuple[Query, ...]], tuple[int, ...]]],
        index: int,
        elapsed: int,
        waiting: dict[Search, tuple[Query, ...]],
        path: tuple[int, ...],
        backwards: bool,
    ) -> None:
        work += [
            (previous, elapsed, waiting, path) for previous in self.predecessors[index] if backwards or previous < index
        ]

    def _judge(
        self, query: Query, producer: int, consumer: int, elapsed: int, path: tuple[int, ...], best: Hazard | None
    ) -> Hazard | None:
        found = query.rule(self.arch, self.facts[producer], self.facts[consumer], self.level)
        if found is None:
            return best
        needed, rule = found
        if self.by_cycles:
            elapsed = self._slots(producer, path, consumer)
        missing = needed - elapsed
        if missing <= 0 or (best is not None and best.missing >= missing):
            return best
        return Hazard(rule, producer, consumer, needed, elapsed)

    def _slots(self, producer: int, path: tuple[int, ...], consumer: int) -> int:
        """Return the issue slots between two instructions along a path, a busy matrix pipe stalling the next MFMA."""
        now, pipe_free = 1, self.facts[producer].passes
        for index in path:
            now += self.nop_states.get(index, 0)
            passes = self.facts[index].passes
            if passes:
                now = max(now, pipe_free)
                pipe_free = now + passes
            now += self.facts[index].states
        now += self.nop_states.get(consumer, 0)
        if self.facts[consumer].passes:
            now = max(now, pipe_free)
        return now - 1
