"""The order of a program: what each section between two barriers moves, multiplies and waits for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hkasm.analysis.flow import flow_of
from hkasm.asm.instruction import Instruction
from hkasm.asm.printer import waitcnt_text
from hkasm.asm.program import Mark, Program
from hkasm.schedules import Schedule

__all__ = ["COLUMNS", "Loop", "Section", "loops_of", "parts_of", "phase_rows"]

COLUMNS = ("MFMA", "VALU", "SALU", "LDS", "VMEM")
"""The units that a table counts; scalar loads, messages and branches are in `Section.counts` only."""

_UNIT_OF = {"TRANS": "VALU"}


@dataclass(frozen=True, slots=True)
class Section:
    """The instructions from `first` to `last` (exclusive), which end with a barrier or with the loop.

    `acts` are the steps, waits and priorities in their order, `counts` the instructions by unit.
    """

    first: int
    last: int
    counts: dict[str, int]
    acts: tuple[str, ...]
    barrier: bool

    def as_dict(self) -> dict[str, object]:
        return {
            "first": self.first,
            "last": self.last,
            "counts": dict(sorted(self.counts.items())),
            "acts": list(self.acts),
            "barrier": self.barrier,
        }


@dataclass(frozen=True, slots=True)
class Loop:
    """A run of instructions that a branch back to `first` closes; `name` is the program's word for it, or empty.

    What stands around loops is a run that is not `closed`, whose name says where it stands.
    """

    name: str
    first: int
    last: int
    sections: tuple[Section, ...]
    closed: bool = True

    @property
    def title(self) -> str:
        """What it is called in words."""
        return f"loop {self.name}".rstrip() if self.closed else self.name

    @property
    def counts(self) -> dict[str, int]:
        """Instructions by unit, over all sections."""
        total: Counter[str] = Counter()
        for section in self.sections:
            total.update(section.counts)
        return dict(total)

    def as_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "loop": self.closed,
            "first": self.first,
            "last": self.last,
            "counts": dict(sorted(self.counts.items())),
            "sections": [section.as_dict() for section in self.sections],
        }


def loops_of(program: Program) -> list[Loop]:
    """Return the innermost loops in the program's order, each in sections."""
    instructions = program.instructions
    return [
        Loop(
            _name_of(program.marks, first, last),
            first,
            last,
            tuple(_sections(program.marks, instructions, first, last)),
        )
        for first, last in flow_of(program).loops
    ]


def parts_of(program: Program) -> list[Loop]:
    """Return all of the program in its order: the innermost loops, and what stands before, between and behind them."""
    loops, count, instructions = loops_of(program), len(program.instructions), program.instructions
    found: list[Loop] = []
    for before, after in pairwise([None, *loops, None]):
        first, last = before.last if before else 0, after.first if after else count
        if first < last:
            words = [f"behind {before.title}"] if before else []
            words += [f"before {after.title}"] if after else []
            sections = tuple(_sections(program.marks, instructions, first, last))
            found.append(Loop(", ".join(words) or "all", first, last, sections, closed=False))
        if after:
            found.append(after)
    return found


def _name_of(marks: Sequence[Mark], first: int, last: int) -> str:
    """Return the name of the smallest loop mark that holds the run."""
    around = [mark for mark in marks if mark.kind == "loop" and mark.first <= first and last <= mark.last]
    return min(around, key=lambda mark: mark.last - mark.first).name if around else ""


def _sections(marks: Sequence[Mark], instructions: Sequence[Instruction], first: int, last: int) -> Iterator[Section]:
    begins = {mark.first: mark.name for mark in marks if mark.kind == "step" and mark.first < mark.last}
    start = first
    for index in range(first, last):
        barrier = instructions[index].spec.control == "barrier"
        if barrier or index == last - 1:
            run = instructions[start : index + 1]
            counts = Counter(_UNIT_OF.get(inst.spec.unit, inst.spec.unit) for inst in run)
            yield Section(start, index + 1, dict(counts), tuple(_acts(begins, run, start)), barrier)
            start = index + 1


def _acts(begins: dict[int, str], run: Sequence[Instruction], start: int) -> Iterator[str]:
    said = ""
    for index, inst in enumerate(run, start):
        if index in begins and begins[index] != said:
            said = begins[index]
            yield said
        value = inst.operands[0] if inst.operands else None
        if inst.mnemonic == "s_waitcnt" and isinstance(value, int):
            yield f"wait {waitcnt_text(value)}"
        elif inst.mnemonic == "s_setprio":
            yield f"priority {value}"
        elif inst.spec.control == "barrier" and (inst.comment or len(run) == 1):
            yield f"barrier: {inst.comment}" if inst.comment else "barrier"


def phase_rows(schedule: Schedule) -> list[tuple[str, str, str, str, str]]:
    """Return a schedule's phases as rows: what is computed, read, committed, fetched, waited for."""

    def named(acts: Sequence[tuple[str, int]]) -> str:
        return ", ".join(f"{name} (k + {ahead})" if ahead else name for name, ahead in acts)

    return [
        (
            ", ".join([*phase.computes, *(f"finish {name}" for name in phase.finish)]),
            named(phase.reads),
            ", ".join(phase.commit),
            named(phase.fetches),
            ", ".join(phase.wait),
        )
        for phase in schedule.phases()
    ]
