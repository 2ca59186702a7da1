"""A loop as lanes over issue time: what each unit does in each section, wave group beside wave group.

Without a cycle model a picture still has a scale: an instruction takes an issue slot of 4 cycles, a matrix instruction
holds the matrix pipe for its passes and the next one waits for it (CDNA3 ISA, chapter on dependency resolution). Memory
latency, conflicts and other waves of a SIMD are not in it. Groups meet at barriers: a section lasts as long as the
slowest group's. Where the cycle model has played the program the clocks and the stalls are its (`played_timeline`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from hkasm.analysis.flow import Flow, Span, flow_of
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.inspect.statistics import class_of
from hkasm.isa.arch import Arch
from hkasm.isa.counters import COUNTERS, counter_max, unpack_waitcnt
from hkasm.model.cycles import Cycles

__all__ = [
    "LANES",
    "Bar",
    "Load",
    "SectionBar",
    "Slack",
    "Timeline",
    "loads_of",
    "played_timeline",
    "shown_timeline",
    "slack_of",
    "timeline",
    "unit_of",
]

LANES: Final = ("MFMA", "VALU", "SALU", "LDS", "VMEM", "wait", "barrier")
SLOT_CYCLES: Final = 4
_UNIT_OF_CLASS: Final = {
    "MFMA": "MFMA",
    "VALU": "VALU",
    "accvgpr copy": "VALU",
    "LDS read": "LDS",
    "LDS write": "LDS",
    "global load": "VMEM",
    "direct to LDS": "VMEM",
    "global store": "VMEM",
    "wait": "wait",
    "barrier": "barrier",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One instruction: its index in the program, its lane, and when it starts and for how long, in cycles.

    `stall` says for how many clocks of a turn its wave is held there and why, where the cycle model played it.
    """

    index: int
    lane: str
    group: int
    start: int
    cycles: int
    stall: str = ""


@dataclass(frozen=True, slots=True)
class SectionBar:
    """A section of one group: the instructions between two barriers, and when."""

    group: int
    first: int
    start: int
    cycles: int
    title: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """A loop's steady state over one turn: `lag` is how many sections the second group is behind the first.

    `waves` are those that the cycle model played, a group each; empty where the code alone was looked at.
    """

    span: Span
    lag: int
    cycles: int
    bars: tuple[Bar, ...]
    sections: tuple[SectionBar, ...]
    waves: tuple[int, ...] = ()

    @property
    def groups(self) -> int:
        return len(self.waves) or (2 if self.lag else 1)

    def as_dict(self) -> dict[str, object]:
        return {
            "first": self.span[0],
            "last": self.span[1],
            "cycles": self.cycles,
            "played": bool(self.waves),
            "waves": list(self.waves),
            "groups": self.groups,
            "lag": self.lag,
            "matrix_share": round(self.matrix_share(), 4),
            "sections": [asdict(section) for section in self.sections],
            "instructions": [asdict(bar) for bar in self.bars],
        }

    def matrix_share(self) -> float:
        """Return the part of the time in which the matrix pipe is held, both groups together."""
        held = sum(bar.cycles for bar in self.bars if bar.lane == "MFMA")
        return held / self.cycles if self.cycles else 0.0


@dataclass(frozen=True, slots=True)
class Load:
    """A load of a loop and the wait that proves it done: instructions and matrix cycles in between.

    ``turns`` counts the loop's closing branches between the two; ``wait`` is None where no wait of the loop is enough.
    """

    index: int
    counter: str
    wait: int | None
    turns: int
    instructions: int
    matrix_cycles: int


@dataclass(frozen=True, slots=True)
class Slack:
    """Loads of one mnemonic that one wait proves done: how many instructions and matrix cycles lie in between.

    ``first`` and ``last`` are the first and last of ``count`` loads, ``wait`` is None where no wait of the loop is
    enough, ``turns`` as of `Load`. ``near`` and ``far`` are the fewest and most instructions of a load to the wait.
    ``full`` tells that no wait stands there, but an operation that the full counter holds up; ``wait`` is the first.
    """

    mnemonic: str
    counter: str
    first: int
    last: int
    count: int
    wait: int | None
    full: bool
    turns: int
    near: int
    far: int
    matrix_cycles: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)

    @property
    def loads(self) -> str:
        """The loads' places in words."""
        return f"{self.first}" if self.count == 1 else f"{self.first}-{self.last} ({self.count})"

    @property
    def waited(self) -> str:
        """What proves the loads done, in words."""
        if self.wait is None:
            return "behind the loop"
        turns = f", +{self.turns} turn{'s' if self.turns > 1 else ''}" if self.turns else ""
        return f"{self.counter} full{turns}" if self.full else f"{self.counter} at {self.wait}{turns}"

    @property
    def instructions(self) -> str:
        """The instructions in between, in words."""
        return f"{self.near}" if self.near == self.far else f"{self.near} to {self.far}"


def unit_of(inst: Instruction) -> str:
    """Return the lane that an instruction is drawn on."""
    found = class_of(inst)
    if found == "atomic":
        return "LDS" if inst.spec.unit == "LDS" else "VMEM"
    return _UNIT_OF_CLASS.get(found, "SALU")


def timeline(program: Program, span: Span, flow: Flow | None = None) -> Timeline:
    """Return a loop's steady state over one turn, as its code alone shows it."""
    flow = flow or flow_of(program)
    instructions = program.instructions
    lag = _lag(program, flow, span)
    sections = _sections(instructions, span)
    titles = [_title(program, section) for section in sections]
    played = [_play(instructions, section, program.arch) for section in sections]
    bars: list[Bar] = []
    rows: list[SectionBar] = []
    time = 0
    for turn in range(len(sections)):
        chosen = [turn] if not lag else [turn, (turn - lag) % len(sections)]
        length = max(played[number][1] for number in chosen)
        for group, number in enumerate(chosen):
            rows.append(SectionBar(group, sections[number][0], time, length, titles[number]))
            bars += [
                Bar(index, unit_of(instructions[index]), group, time + start, cycles)
                for index, start, cycles in played[number][0]
            ]
        time += length
    return Timeline(span, lag, time, tuple(bars), tuple(rows))


def played_timeline(program: Program, span: Span, cycles: Cycles) -> Timeline | None:
    """Return a turn of a loop as the cycle model played it, the waves of one SIMD; None if it played another loop."""
    turn, instructions = cycles.middle.turn, program.instructions
    if turn is None or not all(span[0] <= index < span[1] for index, _ in turn.issues[min(turn.issues)]):
        return None
    bars: list[Bar] = []
    rows: list[SectionBar] = []
    for group, (wave, issues) in enumerate(sorted(turn.issues.items())):
        stalls = _stalls(cycles, wave)
        begin, section = 0, list[int]()
        for index, clk in issues:
            inst = instructions[index]
            held = SLOT_CYCLES * _passes(inst, program.arch) if inst.spec.mfma is not None else SLOT_CYCLES
            bars.append(Bar(index, unit_of(inst), group, clk, held, stalls.get(index, "")))
            section.append(index)
            if inst.spec.control == "barrier":
                rows.append(SectionBar(group, section[0], begin, clk - begin, _title(program, section)))
                begin, section = clk, []
        if section:
            rows.append(SectionBar(group, section[0], begin, turn.clk - begin, _title(program, section)))
    return Timeline(
        span, _lag(program, flow_of(program), span), turn.clk, tuple(bars), tuple(rows), tuple(sorted(turn.issues))
    )


def shown_timeline(program: Program, span: Span, flow: Flow, cycles: Cycles | None) -> Timeline:
    """Return a loop's turn as the cycle model played it, or, where it did not, as the code alone shows it."""
    played = played_timeline(program, span, cycles) if cycles is not None else None
    return played or timeline(program, span, flow)


def _stalls(cycles: Cycles, wave: int) -> dict[int, str]:
    """Return for each instruction at which a wave stalls for how many clocks of a turn, and why; most first."""
    found: dict[int, list[str]] = {}
    turns = max(cycles.middle.played, 1)
    for stall in sorted(cycles.middle.stalls, key=lambda stall: -stall.by_wave[wave]):
        clk = stall.by_wave[wave] / turns
        if clk >= 1:
            found.setdefault(stall.index, []).append(f"{stall.reason} {clk:.0f}")
    return {index: ", ".join(reasons) for index, reasons in found.items()}


def loads_of(program: Program, span: Span) -> list[Load]:
    """Return the loop's loads in order, each with the wait that retires it in the steady state.

    A counter's operations retire in order; while a scalar load is outstanding only a count of 0 retires anything. A
    full counter lets the next operation issue only when its oldest is done: then that operation stands for the wait.
    """
    instructions, (first, last) = program.instructions, span
    limits = {name: counter_max(program.arch, name) for name in COUNTERS}
    flying: dict[str, deque[tuple[int, int, int, int]]] = {name: deque() for name in COUNTERS}
    found: dict[tuple[int, str], Load] = {}
    place = cycles = 0
    turns = 4
    for turn in range(turns):
        for index in range(first, last):
            inst = instructions[index]
            place += 1
            if inst.spec.mfma is not None:
                cycles += SLOT_CYCLES * _passes(inst, program.arch)
            if inst.spec.key == "s_waitcnt" and isinstance(inst.operands[0], int):
                fields = unpack_waitcnt(inst.operands[0])
                for name in COUNTERS:
                    queue, count = flying[name], fields.get(name)
                    scalar = any(instructions[one[0]].spec.unit == "SMEM" for one in queue)
                    if count >= limits[name] or (scalar and count):
                        continue
                    while len(queue) > count:
                        load, at, held, of = queue.popleft()
                        found[load, name] = Load(load, name, index, turn - of, place - at, cycles - held)
            for name in COUNTERS:
                if inst.spec.counter in (name, "both"):
                    flying[name].append((index, place, cycles, turn))
                    if len(flying[name]) > limits[name]:
                        load, at, held, of = flying[name].popleft()
                        found[load, name] = Load(load, name, index, turn - of, place - at, cycles - held)
    loads = []
    for index in range(first, last):
        inst = instructions[index]
        memory = inst.spec.memory
        if memory is None or not memory.op.startswith("load"):
            continue
        counter = "vmcnt" if inst.spec.counter == "both" else str(inst.spec.counter)
        loads.append(found.get((index, counter), Load(index, counter, None, 0, 0, 0)))
    return loads


def slack_of(program: Program, loads: Sequence[Load]) -> list[Slack]:
    """Return the loads of a loop by mnemonic and wait, in the order of each kind's first.

    Loads in a row that are done because their counter was full are of one kind.
    """
    kinds: dict[tuple[str, bool, int | None, int], list[Load]] = {}
    row = 0
    for load in loads:
        full = load.wait is not None and program.instructions[load.wait].spec.key != "s_waitcnt"
        row += not full
        kind = (program.instructions[load.index].mnemonic, full, row if full else load.wait, load.turns)
        kinds.setdefault(kind, []).append(load)
    return [
        Slack(
            mnemonic, some[0].counter, some[0].index, some[-1].index, len(some), some[0].wait, full, turns,
            min(one.instructions for one in some), max(one.instructions for one in some),
            min(one.matrix_cycles for one in some),
        )
        for (mnemonic, full, _, turns), some in kinds.items()
    ]  # fmt: skip


def _lag(program: Program, flow: Flow, span: Span) -> int:
    """Count the barriers that one group meets and the other jumps over on the way to the loop."""
    instructions = program.instructions
    head = flow.block_at[span[0]]
    reaches = {head}
    work = [head]
    while work:
        for back in flow.blocks[work.pop()].predecessors:
            if back not in reaches:
                reaches.add(back)
                work.append(back)
    lag = 0
    for number in reaches:
        block = flow.blocks[number]
        run = instructions[block.first : block.last]
        alone = len(run) == 1 and run[0].spec.control == "barrier"
        if alone and block.last <= span[0]:
            skipped = any(flow.targets.get(flow.blocks[back].last - 1) == block.last for back in block.predecessors)
            lag += skipped
    return lag


def _sections(instructions: Sequence[Instruction], span: Span) -> list[list[int]]:
    """Return the indices between barriers; what follows the last barrier goes in front of the first section."""
    sections: list[list[int]] = [[]]
    for index in range(*span):
        sections[-1].append(index)
        if instructions[index].spec.control == "barrier":
            sections.append([])
    tail = sections.pop()
    if not sections:
        return [tail]
    sections[0] = tail + sections[0]
    return sections


def _play(
    instructions: Sequence[Instruction], section: Sequence[int], arch: Arch
) -> tuple[list[tuple[int, int, int]], int]:
    """Return (index, start, cycles) of a section's instructions, and how long the section takes."""
    bars, now, matrix_free = [], 0, 0
    for index in section:
        inst = instructions[index]
        if inst.spec.mfma is not None:
            start = max(now, matrix_free)
            cycles = SLOT_CYCLES * _passes(inst, arch)
            matrix_free = start + cycles
        else:
            start, cycles = now, SLOT_CYCLES
        bars.append((index, start, cycles))
        now = start + SLOT_CYCLES
    return bars, max(now, matrix_free)


def _passes(inst: Instruction, arch: Arch) -> int:
    shape = inst.spec.mfma
    return shape.passes_of(arch.name, inst.mods.get("cbsz", 0), inst.mods.get("blgp", 0)) if shape is not None else 0


def _title(program: Program, section: Sequence[int]) -> str:
    """Return the steps of a section, each once, in their order."""
    inside = set(section)
    names = [mark.name for mark in program.marks if mark.kind == "step" and mark.first in inside]
    return ", ".join(dict.fromkeys(names))
