"""Code beside the Python lines that wrote it, block by block; and two programs' hot loops side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hkasm.analysis.flow import Flow, Span, flow_of
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.inspect.resources import resources_of
from hkasm.inspect.statistics import CLASSES, Statistics, hot_loop, statistics

__all__ = ["CodeBlock", "CodeLine", "Row", "code_blocks", "compare_programs", "step_names"]


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One instruction: its index, byte offset and text, the Python line (or symbol+offset), and the step it is of."""

    index: int
    offset: int
    text: str
    where: str
    step: str

    def as_dict(self) -> dict[str, object]:
        return {"index": self.index, "offset": self.offset, "text": self.text, "where": self.where, "step": self.step}


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A basic block: its number, the blocks that follow it, whether a path leads to it, and what it is made of."""

    number: int
    successors: tuple[int, ...]
    reached: bool
    statistics: Statistics
    lines: tuple[CodeLine, ...]

    def as_dict(self) -> dict[str, object]:
        return {
            "block": self.number,
            "successors": list(self.successors),
            "reached": self.reached,
            "statistics": self.statistics.as_dict(),
            "lines": [line.as_dict() for line in self.lines],
        }


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a comparison: what is counted, and its value in each program ('' where there is none)."""

    name: str
    values: tuple[str, ...]

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1


def code_blocks(program: Program, span: Span | None = None) -> list[CodeBlock]:
    """Return the basic blocks of a program, or those parts of them that lie in a span of instructions."""
    flow, instructions = flow_of(program), program.instructions
    first, last = span or (0, len(instructions))
    steps = step_names(program)
    found = []
    for number, block in enumerate(flow.blocks):
        start, stop = max(block.first, first), min(block.last, last)
        if start >= stop:
            continue
        run = instructions[start:stop]
        lines = tuple(_lines(flow, run, start, steps))
        counted = statistics(run, program.arch, start)
        found.append(CodeBlock(number, block.successors, number in flow.reached, counted, lines))
    return found


def _lines(flow: Flow, run: Sequence[Instruction], start: int, steps: dict[int, str]) -> Iterator[CodeLine]:
    for index, inst in enumerate(run, start):
        text = str(inst)
        to = flow.targets.get(index)
        if to is not None and to < flow.count:
            text = f"{text}  -> block {flow.block_at[to]}"
        where = "" if inst.origin is None else str(inst.origin)
        yield CodeLine(index, inst.offset, text, where, steps.get(index, ""))


def step_names(program: Program) -> dict[int, str]:
    """Return for each instruction of a step that step's name."""
    found: dict[int, str] = {}
    for mark in program.marks:
        if mark.kind == "step":
            found |= dict.fromkeys(range(mark.first, mark.last), mark.name)
    return found


def compare_programs(programs: Sequence[Program]) -> list[Row]:
    """Return the hot loops and the resources of programs side by side; a program without a loop is taken whole."""
    loops = [_hot(program) for program in programs]
    resources = [resources_of(program) for program in programs]

    def row(name: str, values: Sequence[object]) -> Row:
        return Row(name, tuple("" if value is None else _text(value) for value in values))

    rows = [
        row("arch", [program.arch.name for program in programs]),
        row("hot loop", [f"{one.first} to {one.last - 1}" for one in loops]),
        row("instructions", [one.instructions for one in loops]),
        row("  per MFMA", [one.per_mfma for one in loops]),
        row("  others per 16 matrix cycles", [one.others_per_16_cycles for one in loops]),
        row("matrix cycles", [one.matrix_cycles or None for one in loops]),
        row("code bytes", [one.code_bytes for one in loops]),
    ]
    rows += [
        row(f"{name}", [one.counts.get(name) for one in loops])
        for name in CLASSES
        if any(name in one.counts for one in loops)
    ]
    matrix = {name for one in loops for name in one.mnemonics if name.startswith(("v_mfma", "v_smfmac"))}
    rows += [row(f"  {name}", [one.mnemonics.get(name) for one in loops]) for name in sorted(matrix)]
    rows += [
        row("VGPRs", [one.vgprs for one in resources]),
        row("AGPRs", [one.agprs for one in resources]),
        row("SGPRs", [one.sgprs for one in resources]),
        row("LDS bytes", [one.lds_bytes for one in resources]),
        row("waves a workgroup", [one.waves_per_workgroup for one in resources]),
        row("waves a SIMD", [one.waves_per_simd for one in resources]),
        row("  limited by", [one.limit for one in resources]),
        row("instructions in all", [len(program.instructions) for program in programs]),
    ]
    return rows


def _hot(program: Program) -> Statistics:
    first, last = hot_loop(program) or (0, len(program.instructions))
    return statistics(program.instructions[first:last], program.arch, first)


def _text(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
