"""The hazard rules that an instruction takes part in, as the earlier and as the later of two.

A rule asks for classes and registers, which depend on how an instruction is written: DPP or SDWA, halves that are
selected, an SGPR or a VGPR in a place, which hardware register. So each form is tried in the ways that matter. Left out
are vccz and execz as sources, which any instruction may name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hkasm.asm.instruction import Instruction, OperandValue
from hkasm.isa import ARCHES
from hkasm.isa.formats import FORMATS
from hkasm.isa.hazards import HAZARD_RULES, SEARCHES, HazardFacts, HazardRule, hazard_facts, produced_by, queries
from hkasm.isa.hwregs import hwreg
from hkasm.isa.modifiers import allowed_modifiers
from hkasm.isa.registers import Register
from hkasm.isa.spec import Encoding, InstSpec

__all__ = ["HazardRole", "hazard_roles"]

PASSES = (2, 4, 8, 16)
_SEARCH = {search.name: search for search in SEARCHES}
_ROW = {rule.name: number for number, rule in enumerate(HAZARD_RULES)}
_MODS: tuple[dict[str, int], ...] = ({}, {"op_sel": 8}, {"op_sel": 4}, {"dst_sel": 0}, {"cbsz": 4, "blgp": 4})
_HWREGS = (hwreg("HW_REG_MODE"), hwreg("HW_REG_TRAPSTS"), hwreg("HW_REG_STATUS"))


@dataclass(slots=True)
class HazardRole:
    """A rule with the instruction as its producer or its consumer, and what the other one is.

    ``states`` are the wait states by arch: by passes of the earlier instruction where they depend on them. ``forms``
    are the formats in which the rule concerns the instruction, none where that is all of them; ``selecting`` says that
    it takes a selected half or byte.
    """

    rule: HazardRule
    role: str
    other: str
    states: dict[str, dict[int, int]] = field(default_factory=dict)
    forms: tuple[str, ...] = ()
    selecting: bool = False

    def as_dict(self) -> dict[str, object]:
        by_passes = any(len(set(counts.values())) > 1 for counts in self.states.values())
        return {
            "rule": self.rule.name,
            "role": self.role,
            "other": self.other,
            "wait_states": {
                arch: {str(passes): states for passes, states in counts.items()}
                if by_passes
                else next(iter(counts.values()))
                for arch, counts in self.states.items()
            },
            "level": self.rule.level,
            "source": self.rule.source,
            "formats": list(self.forms),
            "only_with_selected_part": self.selecting,
        }


def hazard_roles(spec: InstSpec) -> list[HazardRole]:
    """Return the rules that an instruction takes part in: as producer, then as consumer, in the table's order."""
    found: dict[tuple[str, str], HazardRole] = {}
    forms: dict[tuple[str, str], set[str]] = {}
    plain: set[tuple[str, str]] = set()
    tried: set[str] = set()
    for arch in ARCHES:
        for encoding in spec.encodings:
            if encoding.opcode(arch) is None:
                continue
            tried.add(encoding.format)
            for inst in _ways(spec, encoding):
                facts = hazard_facts(arch, inst)
                for role, rule, states in (*_as_producer(arch, facts), *_as_consumer(arch, facts)):
                    key = role, rule.name
                    entry = found.setdefault(key, HazardRole(rule, role, _other(rule, role)))
                    entry.states.setdefault(arch, {}).update(states)
                    forms.setdefault(key, set()).add(encoding.format)
                    if not inst.mods.keys() & {"op_sel", "dst_sel"}:
                        plain.add(key)
    for key, entry in found.items():
        entry.forms = tuple(sorted(forms[key])) if forms[key] != tried else ()
        entry.selecting = key not in plain
    return sorted(found.values(), key=lambda entry: (entry.role != "producer", _ROW[entry.rule.name]))


def _other(rule: HazardRule, role: str) -> str:
    search = _SEARCH[rule.search]
    other = rule.consumer or search.consumers if role == "producer" else rule.producer or search.producers
    return other or "any"


def _ways(spec: InstSpec, encoding: Encoding) -> Iterator[Instruction]:
    """Yield the instruction with its operands in each file, with halves selected, with each hardware register."""
    allowed = allowed_modifiers(spec.key, encoding.format)
    numbers = _HWREGS if "hwreg" in spec.flags else (0,)
    for mods in _MODS:
        usable = {name: value for name, value in mods.items() if name in allowed and value & ~allowed[name] == 0}
        if len(usable) < len(mods):
            continue
        for first in "vas":
            for number in numbers:
                yield Instruction(spec, encoding, _operands(spec, encoding, first, number), usable)


def _operands(spec: InstSpec, encoding: Encoding, first: str, number: int) -> tuple[OperandValue, ...]:
    values: list[OperandValue] = []
    places = FORMATS[encoding.format].operands
    for at, operand in enumerate(spec.explicit):
        files = [letter for letter in operand.files if letter in "sva"]
        if operand.name in places and places[operand.name].coding == "vgpr8":
            files = [letter for letter in files if letter != "s"] or files
        if not files:
            values.append(number if "i" in operand.files else None)
        elif operand.name not in places:
            values.append(Register("s", 106, 2))
        else:
            values.append(Register(first if first in files else files[0], 8 * at, operand.dwords))
    return tuple(values)


def _rules(search: str) -> list[HazardRule]:
    return [rule for rule in HAZARD_RULES if rule.search == search]


def _as_producer(arch: str, facts: HazardFacts) -> Iterator[tuple[str, HazardRule, dict[int, int]]]:
    for search in produced_by(facts):
        fitting = [rule for rule in _rules(search.name) if not rule.producer or rule.producer in facts.classes]
        for at, rule in enumerate(fitting):
            states = rule.states(arch, facts.passes)
            before = [(one.when, one.consumer) for one in fitting[:at]]
            if states and not {(rule.when, ""), (rule.when, rule.consumer), ("", "")} & set(before):
                yield "producer", rule, {facts.passes: states}


def _as_consumer(arch: str, facts: HazardFacts) -> Iterator[tuple[str, HazardRule, dict[int, int]]]:
    for query in queries(arch, facts):
        fitting = [rule for rule in _rules(query.search.name) if not rule.consumer or rule.consumer in facts.classes]
        for at, rule in enumerate(fitting):
            value: int | Mapping[int, int] = rule.gfx942 if arch == "gfx942" else rule.gfx950
            states = {passes: rule.states(arch, passes) for passes in (PASSES if not isinstance(value, int) else (0,))}
            before = [(one.when, one.producer) for one in fitting[:at]]
            if any(states.values()) and not {(rule.when, ""), (rule.when, rule.producer), ("", "")} & set(before):
                yield "consumer", rule, states
