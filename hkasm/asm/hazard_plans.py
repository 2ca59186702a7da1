"""What each instruction of a program is found as and looks for, as bits and masks, for a quick hazard scan.

Almost no pair of instructions has to do with each other, and that is seen from two numbers: which searches the earlier
one may end and the later one makes, and which registers they are about. These numbers follow from an instruction's
*shape* (declaration, format, modifiers, kinds of its operands) and from where its registers lie; what a hit needs
follows from two shapes. So the rules are asked once a shape and once a pair of shapes, not for every instruction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hkasm.asm.instruction import Instruction, OperandValue
from hkasm.isa.hazards import (
    PLACE_MODIFIERS,
    SEARCHES,
    HazardFacts,
    HazardRule,
    Query,
    hazard_facts,
    longest_wait,
    produced_by,
    queries,
    register_mask,
)
from hkasm.isa.registers import FIRST_SPECIAL, Register
from hkasm.isa.spec import SPECS

__all__ = ["SEARCH_NUMBER", "Plan", "answers", "make_plans"]

Mods = tuple[tuple[str, int], ...]
Kind = tuple[str, int, int] | int | None
"""A register's file, number (0 unless it is a special one) and width; a number's value; None for anything else."""

SEARCH_NUMBER = {search: number for number, search in enumerate(SEARCHES)}
"""The place of a search in the table: its bit, and the order in which hits are judged."""


@dataclass(slots=True, eq=False)
class Plan:
    """The plan of one instruction, shared by all places where it stands.

    ``produced`` are the registers that any search which it may end is about; ``wants`` has a bit for each search that
    it makes and that something in the program ends, ``wanted`` are the registers that those are about. Nothing that it
    looks for matters ``limit`` wait states back or farther.
    """

    shape: _Shape
    operands: Sequence[OperandValue]
    produced: int
    wants: int
    wanted: int
    limit: int


def make_plans(instructions: Sequence[Instruction], arch: str, level: str) -> list[Plan]:
    """Return the plan of every instruction of a program."""
    # By identity: instructions that stand again share these objects, and many others share registers.
    keys = [(id(inst.encoding), id(inst.operands), id(inst.mods)) for inst in instructions]
    unique = dict(zip(keys, instructions, strict=True))
    operands = {id(value): value for inst in unique.values() for value in inst.operands}
    kinds = {key: _kind(value) for key, value in operands.items()}
    masks = {key: register_mask(value) for key, value in operands.items() if isinstance(value, Register)}
    mods = {id(inst.mods): _mods(inst.mods) for inst in unique.values()}
    shapes: dict[tuple[object, ...], _Shape] = {}
    shaped: list[tuple[_Shape, Sequence[OperandValue]]] = []
    for key, inst in unique.items():
        kind = (key[0], mods[key[2]], *[kinds[id(value)] for value in inst.operands])
        shape = shapes.get(kind)
        if shape is None:
            spec, form = inst.spec.key, inst.encoding.format
            shape = shapes[kind] = _shape(arch, level, spec, form, mods[key[2]], tuple(map(_kind, inst.operands)))
        shaped.append((shape, inst.operands))
    reach: dict[int, int] = {}
    for shape in shapes.values():
        for number, states in shape.waits:
            reach[number] = max(reach.get(number, 0), states)
    looks = {id(shape): shape.look(reach) for shape in shapes.values()}
    plans: list[Plan] = []
    for shape, values in shaped:
        wants, about, limit = looks[id(shape)]
        produced, wanted = shape.produced.implicit, about.implicit
        for place in shape.produced.places:
            produced |= masks[id(values[place])]
        for place in about.places:
            wanted |= masks[id(values[place])]
        plans.append(Plan(shape, values, produced, wants, wanted, limit))
    plan_of = dict(zip(unique, plans, strict=True))
    return [plan_of[key] for key in keys]


def answers(before: Plan, after: Plan) -> tuple[int, tuple[tuple[int, int, HazardRule], ...]]:
    """Return which queries of an instruction an earlier one answers, and what that needs.

    First a bit for each query answered, by its place among the queries in the table's order; then bit, wait states and
    rule of those that need any.
    """
    answered, needs = 0, []
    for place, (number, about) in enumerate(after.shape.queries):
        ended = before.shape.ended.get(number)
        mask = about.mask(after.operands)
        if ended is None or not ended.mask(before.operands) & mask:
            continue
        answered |= 1 << place
        found = _rule(before.shape, after.shape, number, before.shape.result.mask(before.operands) == mask)
        if found is not None:
            needs.append((1 << place, *found))
    return answered, tuple(needs)


@dataclass(frozen=True, slots=True)
class _Registers:
    """Some registers of an instruction: those at `places` among its operands, and a mask of implicit ones."""

    places: tuple[int, ...]
    implicit: int

    def mask(self, operands: Sequence[OperandValue]) -> int:
        found = self.implicit
        for place in self.places:
            register = operands[place]
            if isinstance(register, Register):
                found |= register_mask(register)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """What the instructions of one shape have in common.

    ``ended`` are the searches that they may end, by number, with the registers that would make them the hit, and
    ``waits`` how many wait states that can need. ``queries`` are the searches that they make, one for each register.
    ``result`` is what the rules call the producer's result.
    """

    arch: str
    level: str
    facts: HazardFacts
    produces: int
    produced: _Registers
    ended: dict[int, _Registers]
    waits: tuple[tuple[int, int], ...]
    queries: tuple[tuple[int, _Registers], ...]
    result: _Registers

    def look(self, reach: Mapping[int, int]) -> tuple[int, _Registers, int]:
        """Return which searches can find anything within `reach`, the registers they are about, and how far back."""
        made = [(number, about) for number, about in self.queries if reach.get(number)]
        wants = 0
        for number, _ in made:
            wants |= 1 << number
        return wants, _union(about for _, about in made), max((reach[number] for number, _ in made), default=0)


def _union(parts: Iterable[_Registers]) -> _Registers:
    places: set[int] = set()
    implicit = 0
    for part in parts:
        places.update(part.places)
        implicit |= part.implicit
    return _Registers(tuple(sorted(places)), implicit)


def _mods(mods: Mapping[str, int]) -> Mods:
    return tuple([item for item in mods.items() if item[0] not in PLACE_MODIFIERS]) if mods else ()


def _kind(value: OperandValue) -> Kind:
    """Return what an instruction's classes may depend on in an operand."""
    if isinstance(value, Register):
        special = value.file == "s" and value.end > FIRST_SPECIAL
        return (value.file, value.index if special else 0, value.count)
    return value if isinstance(value, int) else None


@lru_cache(maxsize=4096)
def _shape(arch: str, level: str, key: str, form: str, mods: Mods, kinds: tuple[Kind, ...]) -> _Shape:
    """Find out about a shape from the facts of one instruction that has it."""
    spec = SPECS[key]
    encoding = next(encoding for encoding in spec.encodings if encoding.format == form)
    # A register object for each operand, by which it is known again among those that the rules pick.
    operands = tuple(Register(*kind) if isinstance(kind, tuple) else kind for kind in kinds)
    places = {id(operand): place for place, operand in enumerate(operands) if isinstance(operand, Register)}
    facts = hazard_facts(arch, Instruction(spec, encoding, operands, dict(mods)))

    def place(register: Register | None, mask: int) -> _Registers:
        number = places.get(id(register))
        return _Registers((), mask) if number is None else _Registers((number,), 0)

    def picked(selector: str) -> list[_Registers]:
        return [place(register, register_mask(register)) for register in facts.pick(selector)]

    ended = {
        search: _union(picked(search.produced) or [place(None, mask)]) for search, mask in produced_by(facts).items()
    }
    made = sorted(queries(arch, facts, level), key=lambda query: SEARCH_NUMBER[query.search])
    return _Shape(
        arch,
        level,
        facts,
        produces=sum(1 << SEARCH_NUMBER[search] for search in ended),
        produced=_union(ended.values()),
        ended={SEARCH_NUMBER[search]: registers for search, registers in ended.items()},
        waits=tuple((SEARCH_NUMBER[search], longest_wait(arch, search, facts, level)) for search in ended),
        queries=tuple((SEARCH_NUMBER[query.search], place(query.register, query.mask)) for query in made),
        result=_union(picked("result")),
    )


@lru_cache(maxsize=4096)
def _rule(before: _Shape, after: _Shape, number: int, same: bool) -> tuple[int, HazardRule] | None:
    """Ask the rules what a hit needs; `same`: the register searched for is exactly the producer's result."""
    register = before.facts.pick("result")[0] if same else None
    return Query(SEARCHES[number], register, 0, 0).rule(before.arch, before.facts, after.facts, before.level)
