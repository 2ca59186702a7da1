"""Finds missing wait states along every path of a program, and puts in the fewest `s_nop` that mend them.

The rules are `hkasm.isa.hazards`'. From each instruction the program is walked backwards over all predecessors, no
farther than its rules look; the nearest hit of each search decides. At level `cycles` the distance is counted in issue
slots of 4 cycles instead of in wait states (`hkasm.isa.hazards.slots`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import or_

from hkasm.asm.hazard_plans import SEARCH_NUMBER, Plans
from hkasm.asm.instruction import Instruction, Label
from hkasm.errors import HazardError, UsageError, did_you_mean
from hkasm.isa.arch import Arch
from hkasm.isa.hazards import (
    LEVELS,
    HazardFacts,
    HazardRule,
    Query,
    Search,
    elapsed_slots,
    hazard_facts,
    produced_by,
    queries,
    wait_states_of,
)
from hkasm.isa.spec import get_spec

__all__ = ["Hazard", "check_hazards", "find_hazards", "find_hazards_on_path", "fix_hazards"]

Item = Instruction | Label
_NO_FALL_THROUGH = frozenset(("branch", "end", "jump", "trap_return"))
_NOP_STATES = 16
"""Wait states of the longest `s_nop` (simm16[3:0] + 1)."""
_NOP_OPERANDS = [(states - 1,) for states in range(_NOP_STATES + 1)]
_NO_MODS: dict[str, int] = {}


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

    def message(self, instructions: Sequence[Instruction], unit: str = "wait states") -> str:
        """Say which instruction needs what after which, and by what rule."""
        producer = instructions[self.producer]
        where = f" of {producer.origin}" if producer.origin is not None else ""
        return (
            f"needs {self.needed} {unit} after {producer}{where}, has {self.found}: {self.missing} missing "
            f"({self.rule.name}: {self.rule.source})"
        )

    @property
    def hint(self) -> str:
        states = "1 wait state" if self.missing == 1 else f"{self.missing} wait states"
        return f"k.s_nop({self.missing - 1}) ({states}) before this line, other work there, or k.fix_hazards()"


def find_hazards(items: Sequence[Item], arch: Arch, level: str = "all") -> list[Hazard]:
    """Return the worst hazard of every instruction that has one, in program order.

    `level`: `llvm` is LLVM's strict table, `cycles` leaves out rules that shipped kernels live without and counts
    elapsed issue slots, `all` is the strict count of every rule.
    """
    scan = _Scan(items, arch, level)
    found = (scan.worst(index) for index in scan.candidates())
    return [hazard for hazard in found if hazard is not None]


def find_hazards_on_path(
    instructions: Sequence[Instruction], first: int, arch: Arch, level: str = "all"
) -> list[Hazard]:
    """Return the worst hazard of every instruction from number `first` on, of instructions executed one by one.

    Branches among them have been followed already: each instruction has the one before it as its only predecessor.
    """
    scan = _Scan(instructions, arch, level, is_path=True)
    found = (scan.worst(index) for index in scan.candidates() if index >= first)
    return [hazard for hazard in found if hazard is not None]


def check_hazards(items: Sequence[Item], arch: Arch) -> None:
    """Refuse a program in which LLVM's table misses wait states.

    Raises:
        HazardError: the first such instruction, with the earlier one and the rule.
    """
    found = find_hazards(items, arch, "llvm")
    if found:
        instructions = [item for item in items if isinstance(item, Instruction)]
        consumer = instructions[found[0].consumer]
        more = f"; {len(found) - 1} more behind it" if len(found) > 1 else ""
        raise HazardError(
            f"{consumer}: {found[0].message(instructions)}{more}", where=consumer.origin, hint=found[0].hint
        )


def fix_hazards(items: Sequence[Item], arch: Arch, level: str = "all") -> list[Item]:
    """Return the program with the fewest `s_nop` that satisfy the rules, each right before the instruction that waits.

    Instructions that are there already count as wait states. Ways round a loop are looked at after all straight ways,
    so that nops of the loop's body count for them.
    """
    scan = _Scan(items, arch, level)
    for index in scan.candidates():
        scan.mend(index, scan.worst(index, backwards=False))
    # Nops only lengthen the ways that were looked at; what is left are the ways round a loop.
    for index in sorted(scan.cut_short):
        scan.mend(index, scan.worst(index))
    return scan.items()


class _Scan:
    """The instructions of a program with their predecessors, and what each is found as and looks for."""

    def __init__(self, items: Sequence[Item], arch: Arch, level: str, *, is_path: bool = False) -> None:
        if level not in LEVELS:
            raise UsageError(
                f"no hazard level '{level}'", hint=did_you_mean(level, LEVELS) or f"levels: {', '.join(LEVELS)}"
            )
        self.arch, self.level = arch.name, level
        self.by_cycles = level == "cycles"
        self.labels_before: dict[int, list[Label]] = {}
        self.instructions: list[Instruction] = []
        for item in items:
            if isinstance(item, Label):
                self.labels_before.setdefault(len(self.instructions), []).append(item)
            else:
                self.instructions.append(item)
        self.plans = Plans(self.instructions, self.arch, level)
        numbers = self.plans.numbers
        self._produces = list(map(self.plans.produces.__getitem__, numbers))
        self._produced = list(map(self.plans.produced.__getitem__, numbers))
        # Wait states of each instruction and of the nops put in before it.
        self.states = list(map(self.plans.states.__getitem__, numbers))
        self.nops: dict[int, list[Instruction]] = {}
        self.nop_states: dict[int, int] = {}
        self.predecessors = {0: []} if is_path else self._flow()
        # Instructions from which a way back round a loop was not followed.
        self.cut_short: set[int] = set()
        self._asked: dict[int, tuple[HazardFacts, dict[Search, int], list[Query]]] = {}

    def items(self) -> list[Item]:
        """Return the program with the nops that were put in."""
        body: list[Item] = []
        start = 0
        for index in sorted({*self.labels_before, *self.nops, len(self.instructions)}):
            body += self.instructions[start:index]
            body += self.labels_before.get(index, ())
            body += self.nops.get(index, ())
            start = index
        return body

    def candidates(self) -> list[int]:
        """Return the instructions that may have a hazard: not those that want nothing of the few before them.

        An instruction is at least one wait state, so that looking at as many instructions as a search goes states back
        is enough, except behind a join.
        """
        plans = self.plans
        window, longest = 1, max(plans.limit, default=0)
        ended, about = self._produces, self._produced
        while window < longest:
            # What any of twice as many instructions ends, up to each one.
            ended = [*ended[:window], *map(or_, ended[window:], ended)]
            about = [*about[:window], *map(or_, about[window:], about)]
            window *= 2
        joined = {index for join in self.predecessors for index in range(join, join + longest)}
        return [
            index
            for index, (number, bits, mask) in enumerate(zip(plans.numbers, [0, *ended], [0, *about], strict=False))
            if (plans.wants[number] & bits and plans.wanted[number] & mask) or (index in joined and plans.wants[number])
        ]

    def mend(self, consumer: int, hazard: Hazard | None) -> None:
        """Put nops before an instruction, if it has a hazard; they are on every way into it."""
        missing = hazard.missing if hazard is not None else 0
        while hazard is not None and missing > 0:
            spec, before = get_spec("s_nop", self.arch), self.instructions[consumer]
            states = min(missing, _NOP_STATES)
            nop = Instruction(
                spec,
                spec.encodings[0],
                _NOP_OPERANDS[states],
                _NO_MODS,
                before.origin,
                hazard.rule.name,
                tag=before.tag,
            )
            self.nops.setdefault(consumer, []).append(nop)
            self.nop_states[consumer] = self.nop_states.get(consumer, 0) + wait_states_of(nop)
            self.states[consumer] += wait_states_of(nop)
            missing -= states

    def _flow(self) -> dict[int, list[int]]:
        """Return the predecessors of every instruction that has others than just the one before it."""
        count = len(self.instructions)
        target_of = {label.name: index for index, labels in self.labels_before.items() for label in labels}
        by_offset = {inst.offset: index for index, inst in enumerate(self.instructions) if inst.offset >= 0}
        found: dict[int, list[int]] = {0: []}
        jumps = [(index, inst) for index, inst in enumerate(self.instructions) if inst.spec.control is not None]
        for index, inst in jumps:
            if inst.spec.control in _NO_FALL_THROUGH:
                found[index + 1] = []
        for index, inst in jumps:
            for operand, value in zip(inst.spec.explicit, inst.operands, strict=True):
                if operand.type != "label":
                    continue
                if isinstance(value, Label):
                    target = target_of.get(value.name, count)
                elif isinstance(value, int):
                    distance = (value & 0xFFFF ^ 0x8000) - 0x8000
                    target = by_offset.get(inst.offset + inst.size + 4 * distance, count)
                else:
                    target = count
                before = found.setdefault(target, [target - 1])
                # Branches come in order: one that is there already is the instruction before, or the last.
                if not before or index not in (before[0], before[-1]):
                    before.append(index)
        return found

    def worst(self, consumer: int, *, backwards: bool = True) -> Hazard | None:
        """Return the hazard of an instruction that lacks most wait states, over all paths.

        Without `backwards` only over paths that do not jump back.
        """
        worst = self._worst_by_states(consumer, backwards)
        if worst is None or not self.by_cycles:
            return worst
        # Never fewer issue slots than wait states: only what lacks states can lack slots.
        return self._worst_by_slots(consumer, backwards)

    def _worst_by_states(self, consumer: int, backwards: bool) -> Hazard | None:
        """Search back by wait states, passing quickly over instructions that have nothing to do with the consumer."""
        states, produces, produced, predecessors = self.states, self._produces, self._produced, self.predecessors
        plans, number = self.plans, self.plans.numbers[consumer]
        wants, wanted, limit = plans.wants[number], plans.wanted[number], plans.limit[number]
        best: Hazard | None = None
        seen: set[tuple[int, int, int]] = set()
        # Places to look at, wait states up to them, and a bit for each query that nothing has answered on the way.
        work = self._before(consumer, self.nop_states.get(consumer, 0), -1, consumer, backwards)
        while work:
            place = work.pop()
            if place in seen:
                continue
            seen.add(place)
            index, elapsed, left = place
            while elapsed < limit:
                if produces[index] & wants and produced[index] & wanted:
                    left, best = self._judge(left, index, consumer, elapsed, best)
                    if not left:
                        break
                elapsed += states[index]
                if index in predecessors:
                    if elapsed < limit:
                        work += self._before(index, elapsed, left, consumer, backwards)
                    break
                index -= 1
        return best

    def _before(
        self, index: int, elapsed: int, left: int, consumer: int, backwards: bool
    ) -> list[tuple[int, int, int]]:
        """Return the places before an instruction, without `backwards` only those of lower number."""
        before = self.predecessors.get(index)
        if before is None:
            return [(index - 1, elapsed, left)]
        if not backwards and any(previous >= index for previous in before):
            self.cut_short.add(consumer)
            before = [previous for previous in before if previous < index]
        return [(previous, elapsed, left) for previous in before]

    def _judge(
        self, left: int, producer: int, consumer: int, elapsed: int, best: Hazard | None
    ) -> tuple[int, Hazard | None]:
        """Take the queries that an instruction answers out of those left, and the worst hazard so far."""
        number = self.plans.numbers[consumer]
        answered, needs = self.plans.answers(self.plans.numbers[producer], number)
        for query, needed, rule in needs:
            missing = needed - elapsed
            if left & query and missing > (0 if best is None else best.missing):
                best = Hazard(rule, producer, consumer, needed, elapsed)
        # Before the first answer `left` has all bits; then only those of queries.
        return left & ~answered & (1 << self.plans.query_count(number)) - 1, best

    # By issue slots.

    def _worst_by_slots(self, consumer: int, backwards: bool) -> Hazard | None:
        """Search back along every path, asking the rules of every instruction: what lies on a path takes its slots."""
        facts, _, asked = self._ask(consumer)
        asked = sorted(asked, key=lambda query: SEARCH_NUMBER[query.search])
        limit = max((query.limit for query in asked), default=0)
        best: Hazard | None = None
        first = self._before(consumer, self.nop_states.get(consumer, 0), -1, consumer, backwards)
        work: list[tuple[tuple[int, int, int], tuple[int, ...]]] = [(place, ()) for place in first]
        while work:
            (index, elapsed, left), path = work.pop()
            if elapsed >= limit:
                continue
            producer, ended, _ = self._ask(index)
            by_scalar = "salu" in producer.classes and bool(producer.pick("exec written"))
            for number, query in enumerate(asked):
                if by_scalar and query.search.produced == "exec written":
                    # EXEC comes from here, which needs no wait states, and from nothing before it: Tensile's divisions
                    # set EXEC back between v_cmpx and v_readfirstlane, three instructions apart.
                    left &= ~(1 << number)
                if not left >> number & 1 or not ended.get(query.search, 0) & query.mask:
                    continue
                left ^= 1 << number
                needed, rule = query.rule(self.arch, producer, facts, self.level) or (0, None)
                found = self._slots(index, path, consumer) if self.by_cycles else elapsed
                if rule is not None and needed - found > (0 if best is None else best.missing):
                    best = Hazard(rule, index, consumer, needed, found)
            if left & (1 << len(asked)) - 1:
                before = self._before(index, elapsed + self.states[index], left, consumer, backwards)
                work += [(place, (index, *path)) for place in before]
        return best

    def _ask(self, index: int) -> tuple[HazardFacts, dict[Search, int], list[Query]]:
        """Return the facts of an instruction, the searches that it may end, and its queries."""
        found = self._asked.get(index)
        if found is None:
            facts = hazard_facts(self.arch, self.instructions[index])
            found = self._asked[index] = facts, produced_by(facts), queries(self.arch, facts, self.level)
        return found

    def _slots(self, producer: int, path: tuple[int, ...], consumer: int) -> int:
        """Return the issue slots between two instructions along a path."""
        following = ((self._ask(index)[0], self.nop_states.get(index, 0)) for index in (*path, consumer))
        return elapsed_slots(self._ask(producer)[0], following)
