"""The flow graph of any program: blocks, branches, loops, what can be reached, and which registers are live where.

Jumps through registers (`s_setpc_b64`, `s_swappc_b64`) have no known target; a program with one says so in
`Flow.indirect`, and then everything counts as reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from hkasm.asm.instruction import Instruction, Label
from hkasm.asm.program import Program
from hkasm.isa.registers import FIRST_SPECIAL, Register

__all__ = ["Block", "Flow", "Liveness", "Span", "flow_of", "liveness", "mask_of", "registers_of"]

Span = tuple[int, int]
"""Instructions from the first to the last (exclusive)."""

_ENDS: Final = frozenset({"branch", "end", "jump", "trap_return"})
"""What the next instruction does not follow."""
_BRANCHES: Final = frozenset({"branch", "cbranch", "debug_branch", "call"})
_INDIRECT: Final = frozenset({"jump", "call", "trap_return", "fork"})
_FILE_BITS: Final = 512
"""Bits a register file in a mask: more than any file has."""
_FIRST_BIT: Final = {"v": 0, "a": _FILE_BITS, "s": 2 * _FILE_BITS}


@dataclass(frozen=True, slots=True)
class Block:
    """A run of instructions that is entered at its first and left behind its last; neighbours by block number."""

    first: int
    last: int
    successors: tuple[int, ...]
    predecessors: tuple[int, ...]


@dataclass(frozen=True)
class Flow:
    """The graph. `targets` has for each direct branch (by index) where it goes; a target of `count` is the end.

    `strays` are branches whose target is not the start of an instruction; `falls` tells whether a path runs off the
    program's end.
    """

    count: int
    blocks: tuple[Block, ...]
    targets: dict[int, int]
    strays: tuple[int, ...]
    indirect: bool
    falls: bool

    @cached_property
    def block_at(self) -> list[int]:
        """The block of each instruction."""
        found = []
        for number, block in enumerate(self.blocks):
            found += [number] * (block.last - block.first)
        return found

    @cached_property
    def reached(self) -> frozenset[int]:
        """Blocks on some path from the entry; all of them where a jump's target is not known."""
        if self.indirect:
            return frozenset(range(len(self.blocks)))
        seen, work = {0} if self.blocks else set(), [0] if self.blocks else []
        while work:
            for after in self.blocks[work.pop()].successors:
                if after not in seen:
                    seen.add(after)
                    work.append(after)
        return frozenset(seen)

    @cached_property
    def loops(self) -> tuple[Span, ...]:
        """Innermost loops in the program's order, each from its head to behind the branch that closes it."""
        spans = {
            (target, branch + 1) for branch, target in self.targets.items() if target <= branch and self._closes(branch)
        }
        return tuple(
            span for span in sorted(spans) if not any(o != span and span[0] <= o[0] and o[1] <= span[1] for o in spans)
        )

    def _closes(self, branch: int) -> bool:
        """Tell whether a branch backward closes a loop: its target leads to it again without leaving the two."""
        first, last = self.targets[branch], self.block_at[branch]
        start = self.block_at[first]
        seen, work = {start}, [start]
        while work:
            number = work.pop()
            if number == last:
                return True
            for after in self.blocks[number].successors:
                if start <= after <= last and after not in seen:
                    seen.add(after)
                    work.append(after)
        return False


@dataclass(frozen=True)
class Liveness:
    """Bit masks of the registers that are live before each instruction; see `registers_of`."""

    before: tuple[int, ...]

    def counts(self, file: str) -> list[int]:
        """Return how many registers of a file are live before each instruction, special ones left out."""
        shift, most = _FIRST_BIT[file], (1 << (FIRST_SPECIAL if file == "s" else _FILE_BITS)) - 1
        return [(mask >> shift & most).bit_count() for mask in self.before]


def flow_of(program: Program) -> Flow:
    """Return the flow graph of a program, from the builder, a file or machine code."""
    program.layout()
    instructions = program.instructions
    count = len(instructions)
    targets, strays = _targets(program, instructions)
    leaders = {0, *targets.values()}
    leaders.update(index + 1 for index, inst in enumerate(instructions) if inst.spec.control in _ENDS | _BRANCHES)
    starts = sorted(leader for leader in leaders if leader < count)
    number_at = {start: number for number, start in enumerate(starts)}
    edges: list[tuple[int, ...]] = []
    falls = False
    ends = [*starts[1:], count] if starts else []
    for last in ends:
        inst = instructions[last - 1]
        after = {targets[last - 1]} if last - 1 in targets else set()
        if inst.spec.control not in _ENDS:
            after.add(last)
        falls = falls or count in after
        edges.append(tuple(sorted(number_at[to] for to in after if to < count)))
    before: list[list[int]] = [[] for _ in starts]
    for number, found in enumerate(edges):
        for to in found:
            before[to].append(number)
    blocks = tuple(
        Block(start, end, edge, tuple(back)) for start, end, edge, back in zip(starts, ends, edges, before, strict=True)
    )
    indirect = any(inst.spec.control in _INDIRECT for inst in instructions)
    return Flow(count, blocks, targets, strays, indirect, falls)


def _targets(program: Program, instructions: Sequence[Instruction]) -> tuple[dict[int, int], tuple[int, ...]]:
    """Return for each direct branch the index that it goes to, and the branches that go nowhere."""
    by_offset = {inst.offset: index for index, inst in enumerate(instructions)}
    if instructions:
        by_offset[instructions[-1].offset + instructions[-1].size] = len(instructions)
    labels: dict[str, int] = program.labels
    found: dict[int, int] = {}
    strays: list[int] = []
    for index, inst in enumerate(instructions):
        if inst.spec.control not in _BRANCHES:
            continue
        operand = inst.operands[-1] if inst.operands else None
        to: int | None = None
        if isinstance(operand, Label):
            to = labels.get(operand.name)
        elif isinstance(operand, int):
            # simm16 is signed and counts dwords from the instruction behind the branch.
            distance = operand - 0x10000 if operand >= 0x8000 else operand
            to = by_offset.get(inst.offset + inst.size + 4 * distance)
        elif inst.spec.control == "call":
            continue  # s_swappc_b64: through a register
        if to is None:
            strays.append(index)
        else:
            found[index] = to
    return found, tuple(strays)


def liveness(program: Program, flow: Flow | None = None) -> Liveness:
    """Return which registers are live before each instruction: read later, on some path, before they are written.

    A write under a partial EXEC counts as a whole write, as compilers take it.
    """
    flow = flow or flow_of(program)
    instructions = program.instructions
    known: dict[tuple[int, int], tuple[int, int]] = {}
    uses: list[tuple[int, int]] = []
    for inst in instructions:
        # Instructions that stand again share their operands.
        key = id(inst.operands), id(inst.spec)
        masks = known.get(key)
        if masks is None:
            masks = known[key] = mask_of(inst.reads()), mask_of(inst.writes())
        uses.append(masks)
    entry = [0] * len(flow.blocks)
    work = list(range(len(flow.blocks)))
    waiting = set(work)
    while work:
        number = work.pop()
        waiting.discard(number)
        block = flow.blocks[number]
        live = 0
        for after in block.successors:
            live |= entry[after]
        for reads, writes in reversed(uses[block.first : block.last]):
            live = live & ~writes | reads
        if live != entry[number]:
            entry[number] = live
            for back in block.predecessors:
                if back not in waiting:
                    waiting.add(back)
                    work.append(back)
    before = [0] * len(instructions)
    for block in flow.blocks:
        live = 0
        for after in block.successors:
            live |= entry[after]
        for index in range(block.last - 1, block.first - 1, -1):
            reads, writes = uses[index]
            live = live & ~writes | reads
            before[index] = live
    return Liveness(tuple(before))


def mask_of(registers: Iterable[Register]) -> int:
    """Return registers as a bit mask; `registers_of` is its inverse."""
    mask = 0
    for register in registers:
        mask |= (1 << register.count) - 1 << _FIRST_BIT[register.file] + register.index
    return mask


def registers_of(mask: int) -> list[Register]:
    """Return the fewest registers that hold exactly the bits of a mask, by file and number."""
    found: list[Register] = []
    for file, shift in _FIRST_BIT.items():
        bits, index = mask >> shift & (1 << _FILE_BITS) - 1, 0
        while bits:
            skip = (bits & -bits).bit_length() - 1
            bits, index = bits >> skip, index + skip
            run = (~bits & bits + 1).bit_length() - 1
            found.append(Register(file, index, run))
            bits, index = bits >> run, index + run
    return found
