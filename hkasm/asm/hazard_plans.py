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
from operator import itemgetter

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

__all__ = ["SEARCH_NUMBER", "Plans"]

Mods = tuple[tuple[str, int], ...]
Kind = tuple[str, int, int] | int | None
"""A register's file, number (0 unless it is a special one) and width; a number's value; None for anything else."""

Answers = tuple[int, tuple[tuple[int, int, HazardRule], ...]]

SEARCH_NUMBER = {search: number for number, search in enumerate(SEARCHES)}
"""The place of a search in the table: its bit, and the order in which hits are judged."""


class Plans:
    """What each instruction is found as and looks for, by number; instructions that stand again share a number.

    ``numbers`` gives the number of every instruction of the program. ``produces`` has a bit for each search that an
    instruction may end, ``produced`` the registers that any of those is about. ``wants`` has a bit for each search that
    it makes and that something in the program ends, ``wanted`` the registers that those are about; nothing that it
    looks for matters ``limit`` wait states back or farther. ``states`` are the wait states that it stands for.
    """

    def __init__(self, instructions: Sequence[Instruction], arch: str, level: str) -> None:
        # By identity: instructions that stand again share these objects, and many others share registers.
        unique: dict[tuple[int, int, int], Instruction] = {}
        numbers: dict[tuple[int, int, int], int] = {}
        self.numbers: list[int] = []
        for inst in instructions:
            key = id(inst.encoding), id(inst.operands), id(inst.mods)
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = len(numbers)
                unique[key] = inst
            self.numbers.append(number)
        operands = {id(value): value for inst in unique.values() for value in inst.operands}
        kinds = {key: _kind(value) for key, value in operands.items()}
        masks = {key: register_mask(value) for key, value in operands.items() if isinstance(value, Register)}
        mods = {id(inst.mods): _mods(inst.mods) for inst in unique.values()}
        shapes: dict[tuple[object, ...], _Shape] = {}
        self._operands = [inst.operands for inst in unique.values()]
        self._shapes: list[_Shape] = []
        self._answers: dict[tuple[int, int], Answers] = {}
        for key, inst in unique.items():
            kind = (key[0], mods[key[2]], *[kinds[id(value)] for value in inst.operands])
            shape = shapes.get(kind)
            if shape is None:
                spec, form = inst.spec.key, inst.encoding.format
                shape = shapes[kind] = _shape(arch, level, spec, form, mods[key[2]], tuple(map(_kind, inst.operands)))
            self._shapes.append(shape)
        reach: dict[int, int] = {}
        for shape in shapes.values():
            for search, states in shape.waits:
                reach[search] = max(reach.get(search, 0), states)
        looks = {id(shape): shape.look(reach) for shape in shapes.values()}
        found = [looks[id(shape)] for shape in self._shapes]
        self.produces = [shape.produces for shape in self._shapes]
        self.states = [shape.facts.states for shape in self._shapes]
        self.wants = [look[0] for look in found]
        self.limit = [look[2] for look in found]
        self.produced: list[int] = []
        self.wanted: list[int] = []
        for shape, look, values in zip(self._shapes, found, self._operands, strict=True):
            produced, wanted = shape.produced.implicit, look[1].implicit
            for place in shape.produced.places:
                produced |= masks[id(values[place])]
            for place in look[1].places:
                wanted |= masks[id(values[place])]
            self.produced.append(produced)
            self.wanted.append(wanted)

    def query_count(self, number: int) -> int:
        """Return how many things an instruction looks for."""
        return self._shapes[number].query_count

    def answers(self, producer: int, consumer: int) -> Answers:
        """Return which queries of an instruction an earlier one answers, and what that needs; both by number.

        First a bit for each query answered, by its place among the queries in the table's order; then bit, wait states
        and rule of those that need any.
        """
        known = self._answers.get((producer, consumer))
        if known is not None:
            return known
        before, after = self._shapes[producer], self._shapes[consumer]
        given, asked = self._operands[producer], self._operands[consumer]
        answered, needs = 0, []
        for search, about in before.ended.items():
            ended = about.mask(given) if search in after.queries else 0
            for query, wanted in after.queries.get(search, ()):
                mask = wanted.mask(asked)
                if not ended & mask:
                    continue
                answered |= query
                found = _rule(before, after, search, before.result.mask(given) == mask)
                if found is not None:
                    needs.append((query, *found))
        needs.sort(key=itemgetter(0))
        known = self._answers[producer, consumer] = answered, tuple(needs)
        return known


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
    ``waits`` how many wait states that can need. ``queries`` are what they look for, by number of the search: a bit
    for each, in the table's order, and the register that it is about. ``result`` is what the rules call the producer's
    result.
    """

    arch: str
    level: str
    facts: HazardFacts
    produces: int
    produced: _Registers
    ended: dict[int, _Registers]
    waits: tuple[tuple[int, int], ...]
    queries: dict[int, list[tuple[int, _Registers]]]
    query_count: int
    result: _Registers

    def look(self, reach: Mapping[int, int]) -> tuple[int, _Registers, int]:
        """Return which searches can find anything within `reach`, the registers they are about, and how far back."""
        made = [search for search in self.queries if reach.get(search)]
        wants = sum(1 << search for search in made)
        about = _union(registers for search in made for _, registers in self.queries[search])
        return wants, about, max((reach[search] for search in made), default=0)


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
    asked: dict[int, list[tuple[int, _Registers]]] = {}
    for number, query in enumerate(made):
        asked.setdefault(SEARCH_NUMBER[query.search], []).append((1 << number, place(query.register, query.mask)))
    return _Shape(
        arch,
        level,
        facts,
        produces=sum(1 << SEARCH_NUMBER[search] for search in ended),
        produced=_union(ended.values()),
        ended={SEARCH_NUMBER[search]: registers for search, registers in ended.items()},
        waits=tuple((SEARCH_NUMBER[search], longest_wait(arch, search, facts, level)) for search in ended),
        queries=asked,
        query_count=len(made),
        result=_union(picked("result")),
    )


@lru_cache(maxsize=4096)
def _rule(before: _Shape, after: _Shape, number: int, same: bool) -> tuple[int, HazardRule] | None:
    """Ask the rules what a hit needs; `same`: the register searched for is exactly the producer's result."""
    register = before.facts.pick("result")[0] if same else None
    return Query(SEARCHES[number], register, 0, 0).rule(before.arch, before.facts, after.facts, before.level)
