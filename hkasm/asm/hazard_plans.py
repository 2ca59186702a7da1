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
    masks: list[int]
    produced: int
    wants: int = 0
    wanted: int = 0
    limit: int = 0


def make_plans(instructions: Iterable[Instruction], arch: str, level: str) -> list[Plan]:
    """Return the plan of every instruction of a program."""
    plans: dict[tuple[int, int, int], Plan] = {}
    shapes: dict[tuple[object, ...], _Shape] = {}
    operands: dict[int, tuple[Kind, int]] = {}
    found: list[Plan] = []
    for inst in instructions:
        # Instructions that stand again share these objects.
        key = id(inst.encoding), id(inst.operands), id(inst.mods)
        plan = plans.get(key)
        if plan is None:
            kinds: list[Kind] = []
            masks: list[int] = []
            for value in inst.operands:
                operand = operands.get(id(value))
                if operand is None:
                    operand = operands[id(value)] = _kind(value)
                kinds.append(operand[0])
                masks.append(operand[1])
            mods = tuple(item for item in inst.mods.items() if item[0] not in PLACE_MODIFIERS) if inst.mods else ()
            kind = (id(inst.encoding), mods, *kinds)
            shape = shapes.get(kind)
            if shape is None:
                spec, form = inst.spec.key, inst.encoding.format
                shape = shapes[kind] = _shape(arch, level, spec, form, mods, tuple(kinds))
            plan = plans[key] = Plan(shape, masks, shape.produced.mask(masks))
        found.append(plan)
    reach: dict[int, int] = {}
    for shape in shapes.values():
        for number, states in shape.waits:
            reach[number] = max(reach.get(number, 0), states)
    looks = {id(shape): shape.look(reach) for shape in shapes.values()}
    for plan in plans.values():
        plan.wants, wanted, plan.limit = looks[id(plan.shape)]
        if plan.wants:
            plan.wanted = wanted.mask(plan.masks)
    return found


def answers(before: Plan, after: Plan) -> tuple[int, tuple[tuple[int, int, HazardRule], ...]]:
    """Return which queries of an instruction an earlier one answers, and what that needs.

    First a bit for each query answered, by its place among the queries in the table's order; then bit, wait states and
    rule of those that need any.
    """
    answered, needs = 0, []
    for place, (number, about) in enumerate(after.shape.queries):
        ended = before.shape.ended.get(number)
        mask = about.mask(after.masks)
        if ended is None or not ended.mask(before.masks) & mask:
            continue
        answered |= 1 << place
        found = _rule(before.shape, after.shape, number, before.shape.result.mask(before.masks) == mask)
        if found is not None:
            needs.append((1 << place, *found))
    return answered, tuple(needs)


@dataclass(frozen=True, slots=True)
class _Registers:
    """Some registers of an instruction: those at `places` among its operands, and a mask of implicit ones."""

    places: tuple[int, ...]
    implicit: int

    def mask(self, masks: Sequence[int]) -> int:
        found = self.implicit
        for place in self.places:
            found |= masks[place]
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


def _kind(value: OperandValue) -> tuple[Kind, int]:
    """Return what an instruction's classes may depend on in an operand, and the operand's mask."""
    if isinstance(value, Register):
        special = value.file == "s" and value.end > FIRST_SPECIAL
        return (value.file, value.index if special else 0, value.count), register_mask(value)
    return (value if isinstance(value, int) else None), 0


@lru_cache(maxsize=4096)
def _shape(
    arch: str, level: str, key: str, form: str, mods: tuple[tuple[str, int], ...], kinds: tuple[Kind, ...]
) -> _Shape:
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
