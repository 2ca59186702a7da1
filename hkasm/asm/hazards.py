"""Finds missing wait states along every path of a program, and puts in the fewest `s_nop` that mend them.

The rules are `hkasm.isa.hazards`'. From each instruction the program is walked backwards over all predecessors, no
farther than its rules look; the nearest hit of each search decides. At level `cycles` the distance is counted in issue
slots of 4 cycles, a matrix instruction waiting until the matrix pipe is free, instead of in wait states.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hkasm.asm.instruction import Instruction, Label
from hkasm.errors import UsageError, did_you_mean
from hkasm.isa.arch import Arch
from hkasm.isa.hazards import (
    LEVELS,
    SEARCHES,
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


@dataclass(frozen=True, slots=True)
class _Plan:
    """What one instruction is looked for as, and what must be looked for from it.

    ``produces`` and ``wants`` have a bit for each search, to pass quickly over instructions that do not matter;
    ``limit`` is how many wait states back the search goes.
    """

    facts: HazardFacts
    produced: dict[Search, int]
    produces: int
    waiting: dict[Search, tuple[Query, ...]]
    wants: int
    limit: int


_BIT = {search: 1 << position for position, search in enumerate(SEARCHES)}


def _plan(arch: str, inst: Instruction, level: str) -> _Plan:
    facts = hazard_facts(arch, inst)
    produced = produced_by(facts)
    waiting: dict[Search, tuple[Query, ...]] = {}
    limit = 0
    for query in queries(arch, facts, level):
        waiting[query.search] = (*waiting.get(query.search, ()), query)
        limit = max(limit, query.limit)
    return _Plan(facts, produced, _bits(produced), waiting, _bits(waiting), limit)


def _bits(searches: Iterable[Search]) -> int:
    bits = 0
    for search in searches:
        bits |= _BIT[search]
    return bits


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
        # Instructions that stand again share their operand objects, and so their plans.
        plans: dict[tuple[str, str, int, int], _Plan] = {}
        self.plans: list[_Plan] = []
        for inst in self.instructions:
            key = (inst.spec.key, inst.encoding.format, id(inst.operands), id(inst.mods))
            plan = plans.get(key)
            if plan is None:
                plan = plans[key] = _plan(self.arch, inst, level)
            self.plans.append(plan)
        self.predecessors = self._flow()
        self.straight = [before == [index - 1] for index, before in enumerate(self.predecessors)]

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
        plan = self.plans[consumer]
        if not plan.wants:
            return None
        if not self.by_cycles:
            done, best = self._straight_line(consumer, plan)
            if done:
                return best
        waiting, limit = plan.waiting, plan.limit
        best = None
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
            produced = self.plans[index].produced
            for search in produced.keys() & waiting.keys():
                hits = [query for query in waiting[search] if produced[search] & query.mask]
                for query in hits:
                    best = self._judge(query, index, consumer, elapsed, path, best)
                if hits:
                    waiting = _without(waiting, search, hits)
            if waiting:
                after = elapsed + self.plans[index].facts.states + self.nop_states.get(index, 0)
                self._push(work, index, after, waiting, (index, *path), backwards)
        return best

    def _straight_line(self, consumer: int, plan: _Plan) -> tuple[bool, Hazard | None]:
        """Search while there is one way back; false when a join comes before the search's end."""
        waiting, wants, best = plan.waiting, plan.wants, None
        index, elapsed = consumer, self.nop_states.get(consumer, 0)
        while elapsed < plan.limit:
            if not self.straight[index]:
                return not self.predecessors[index], best
            index -= 1
            before = self.plans[index]
            if before.produces & wants:
                for search in before.produced.keys() & waiting.keys():
                    hits = [query for query in waiting[search] if before.produced[search] & query.mask]
                    for query in hits:
                        best = self._judge(query, index, consumer, elapsed, (), best)
                    if hits:
                        waiting = _without(waiting, search, hits)
                        wants = _bits(waiting)
                if not wants:
                    break
            elapsed += before.facts.states + self.nop_states.get(index, 0)
        return True, best

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
        found = query.rule(self.arch, self.plans[producer].facts, self.plans[consumer].facts, self.level)
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
        now, pipe_free = 1, self.plans[producer].facts.passes
        for index in path:
            now += self.nop_states.get(index, 0)
            passes = self.plans[index].facts.passes
            if passes:
                now = max(now, pipe_free)
                pipe_free = now + passes
            now += self.plans[index].facts.states
        now += self.nop_states.get(consumer, 0)
        if self.plans[consumer].facts.passes:
            now = max(now, pipe_free)
        return now - 1


def _without(
    waiting: dict[Search, tuple[Query, ...]], search: Search, hits: list[Query]
) -> dict[Search, tuple[Query, ...]]:
    """Return what is still looked for after some queries of a search have found their nearest producer."""
    left = tuple(query for query in waiting[search] if query not in hits)
    return {key: group for key, group in ({**waiting, search: left}).items() if group}
