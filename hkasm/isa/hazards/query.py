"""Applies the wait-state table: what to look for from an instruction, what an instruction can be found as."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hkasm.isa.hazards.facts import HazardFacts, HazardInstruction, hazard_facts, mask_of, register_mask
from hkasm.isa.hazards.rules import HAZARD_RULES, LEVEL_ROWS, SEARCHES, HazardRule, Search
from hkasm.isa.registers import Register

__all__ = ["Query", "longest_wait", "produced_by", "queries", "required_wait_states"]

_RULES_OF = {search.name: tuple(rule for rule in HAZARD_RULES if rule.search == search.name) for search in SEARCHES}
_SEARCHES_BY_PRODUCER = {
    name: tuple(search for search in SEARCHES if search.producers == name)
    for name in {search.producers for search in SEARCHES}
}


def produced_by(facts: HazardFacts) -> dict[Search, int]:
    """Return every search that an instruction may end, with the mask of registers that would make it the hit.

    A mask of -1 matches any register; searches that no register of the instruction can match are left out.
    """
    found = {}
    for name in ("", *facts.classes):
        for search in _SEARCHES_BY_PRODUCER.get(name, ()):
            if search.produced == "nothing":
                mask = -1
            elif search.produced == "hwreg":
                mask = 1 << facts.hwreg
            else:
                mask = mask_of(facts.pick(search.produced))
            if mask:
                found[search] = mask
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """One thing to look for backwards from an instruction: a search, and the register it is about.

    An earlier instruction whose `produced_by` has this search with a mask that meets `mask` is the hit. No hit matters
    that is `limit` or more wait states away.
    """

    search: Search
    register: Register | None
    mask: int
    limit: int

    def rule(
        self, arch: str, producer: HazardFacts, consumer: HazardFacts, level: str
    ) -> tuple[int, HazardRule] | None:
        """Return the wait states that a hit needs and the rule that says so, None where it needs none."""
        for rule in _rules(self.search.name, level):
            if _fits(rule, self.register, producer, consumer):
                states = rule.states(arch, producer.passes)
                if rule.by_register and level == "cycles" and "valu" in consumer.classes:
                    states -= self._passes_before_last(producer)
                return (states, rule) if states else None
        return None

    def _passes_before_last(self, producer: HazardFacts) -> int:
        """Return how many passes before a matrix instruction's last one the last register that is asked for appears."""
        (result,) = producer.pick("result")
        if self.register is None:
            return 0
        last = min(self.register.end, result.end) - result.index
        return producer.passes - -(-last * producer.passes // result.count)


@cache
def _rules(search: str, level: str) -> tuple[HazardRule, ...]:
    return tuple(rule for rule in _RULES_OF[search] if rule.level in LEVEL_ROWS[level])


@cache
def _limit(arch: str, search: str, level: str) -> int:
    states = (rule.states(arch, passes) for rule in _rules(search, level) for passes in (2, 4, 8, 16))
    return max(states, default=0)


def longest_wait(arch: str, search: Search, producer: HazardFacts, level: str) -> int:
    """Return the most wait states that any consumer can need after a producer that is the hit of a search."""
    rules = (rule for rule in _rules(search.name, level) if not rule.producer or rule.producer in producer.classes)
    return max((rule.states(arch, producer.passes) for rule in rules), default=0)


@cache
def _searches_for(arch: str, consumer_class: str, level: str) -> tuple[Search, ...]:
    return tuple(
        search for search in SEARCHES if search.consumers == consumer_class and _limit(arch, search.name, level)
    )


def _fits(rule: HazardRule, register: Register | None, producer: HazardFacts, consumer: HazardFacts) -> bool:
    if rule.producer and rule.producer not in producer.classes:
        return False
    if rule.consumer and rule.consumer not in consumer.classes:
        return False
    if rule.when == "same":
        return register in producer.pick("result")
    if rule.when == "other":
        return register in producer.pick("result") and producer.opcode != consumer.opcode
    if rule.when == "opcode":
        return producer.opcode == consumer.opcode
    return True


def queries(arch: str, consumer: HazardFacts, level: str = "all") -> list[Query]:
    """Return everything that must be looked for backwards from an instruction."""
    found = []
    for name in consumer.classes:
        for search in _searches_for(arch, name, level):
            limit = _limit(arch, search.name, level)
            if search.registers == "nothing":
                found.append(Query(search, None, -1, limit))
            elif search.registers == "hwreg":
                found.append(Query(search, None, 1 << consumer.hwreg, limit))
            else:
                registers = consumer.pick(search.registers)
                found += [Query(search, register, register_mask(register), limit) for register in registers]
    return found


def required_wait_states(
    arch: str, producer: HazardInstruction, consumer: HazardInstruction, level: str = "all"
) -> tuple[int, HazardRule] | None:
    """Return the most wait states that two instructions need between them, and the rule; None where they need none."""
    before, after = hazard_facts(arch, producer), hazard_facts(arch, consumer)
    produced = produced_by(before)
    best: tuple[int, HazardRule] | None = None
    for query in queries(arch, after, level):
        hit = produced.get(query.search, 0) & query.mask
        found = query.rule(arch, before, after, level) if hit else None
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return best
