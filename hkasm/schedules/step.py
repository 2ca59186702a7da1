"""Steps: the named acts that a kernel offers and a schedule orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Literal
from weakref import WeakKeyDictionary

from hkasm.asm.builder import Builder
from hkasm.asm.instruction import GROUPED, Instruction
from hkasm.errors import ScheduleError, did_you_mean
from hkasm.isa.registers import Register

Kind = Literal["fetch", "commit", "read", "compute", "finish"]
KINDS: tuple[Kind, ...] = ("fetch", "commit", "read", "compute", "finish")
Emit = Callable[[Builder, int], None]
Atom = tuple[str, int]
"""One 32-bit register: its file and number."""


@dataclass(frozen=True)
class Step:
    """One act of a kernel: ``emit(k, slot)`` writes its instructions for one LDS buffer.

    ``fetch`` brings global memory to LDS or to registers, where a compute may take it as it is; ``commit`` takes what
    was fetched to registers further (to LDS, or without regions to other registers), ``read`` brings LDS to registers,
    ``compute`` works on registers, ``finish`` takes the result away, once, behind the last compute of a pipeline.
    `slot` is the K step modulo the depth: reads and computes that rotate through several sets of registers choose
    theirs by it.
    ``regions`` names the LDS regions that a fetch or commit fills or a read reads; a ``grouped`` step touches of them,
    in waves of one group, no byte that those of the other group touch. ``prepare(k, slot)`` writes what
    must stand before a fetch, such as M0; the lowering puts other instructions between the two where it can. A step
    owns its registers: `emit` allocates none.
    """

    name: str
    kind: Kind
    emit: Emit
    regions: tuple[str, ...] = ()
    prepare: Emit | None = None
    grouped: bool = False


@dataclass(frozen=True)
class Facts:
    """What the lowering needs to know of a step, taken from the instructions that it emits.

    ``loads`` are registers that arrive late (written by memory instructions), ``reads`` all registers read; ``units``
    counts the instructions by the unit that takes them.
    """

    kind: Kind
    name: str
    regions: tuple[str, ...] = ()
    loads: frozenset[Atom] = frozenset()
    reads: frozenset[Atom] = frozenset()
    units: tuple[tuple[str, int], ...] = ()
    grouped: bool = False


class Steps:
    """A kernel's steps by kind and name."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self._steps: dict[tuple[Kind, str], Step] = {}
        self._preparations: dict[str, Step] = {}
        for step in steps:
            if (step.kind, step.name) in self._steps:
                raise ScheduleError(f"two {step.kind} steps are called {step.name!r}")
            self._steps[step.kind, step.name] = step

    def get(self, kind: Kind, name: str) -> Step:
        """Return a step; ScheduleError (with the nearest name) if the kernel has none."""
        if (kind, name) in self._steps:
            return self._steps[kind, name]
        names = [known for known_kind, known in self._steps if known_kind == kind]
        hint = did_you_mean(name, names) or f"{kind} steps: {', '.join(sorted(names)) or 'none'}"
        raise ScheduleError(f"the kernel has no {kind} step {name!r}", hint=hint)

    def preparation(self, fetch: str) -> Step | None:
        """Return what stands before a fetch as a step of its own, the same each time; None if nothing does."""
        prepare = self.get("fetch", fetch).prepare
        if prepare is None:
            return None
        return self._preparations.setdefault(fetch, Step(fetch, "fetch", prepare))

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps.values())


@dataclass(frozen=True)
class Recording:
    """A step as it was written once, for one LDS buffer: its facts, and its instructions.

    ``instructions`` is None for a step with labels or waits, which must be written anew wherever it stands.
    """

    facts: Facts
    instructions: tuple[Instruction, ...] | None


class _Tape:
    """The steps that a builder's pipelines have recorded, and the scratch program for the next."""

    def __init__(self, k: Builder) -> None:
        self.scratch = k.aside("recording")
        self.known: dict[tuple[Step, int], Recording] = {}


_tapes: WeakKeyDictionary[Builder, _Tape] = WeakKeyDictionary()


def record(k: Builder, step: Step, slot: int = 0) -> Recording:
    """Write `step` into a scratch program of `k`'s arch, once for all the pipelines that `k` holds.

    Its `prepare` is no part of it; `Steps.preparation` gives that as a step of its own.
    """
    tape = _tapes.get(k)
    if tape is None:
        tape = _tapes[k] = _Tape(k)
    found = tape.known.get((step, slot))
    if found is None:
        items = tape.scratch.items
        items.clear()
        write(tape.scratch, step, slot)
        instructions = tuple(item for item in items if isinstance(item, Instruction))
        whole = len(instructions) == len(items)
        found = tape.known[step, slot] = Recording(_facts(step, instructions), instructions if whole else None)
    return found


def write(k: Builder, step: Step, slot: int) -> None:
    """Emit a step for one LDS buffer; what touches LDS says which regions of which buffer.

    For the waits that is said of what fills them, for the verifier of what reads them too.
    """
    start = len(k.items)
    step.emit(k, slot)
    regions = tuple((region, slot) for region in step.regions)
    touched = tuple((*region, GROUPED) for region in regions) if step.grouped else regions
    for item in k.items[start:] if regions else ():
        if isinstance(item, Instruction) and item.spec.memory is not None:
            if _fills_lds(item):
                item.tokens, item.regions = regions, touched
            elif item.spec.memory.space == "lds":
                item.regions = touched


def _fills_lds(inst: Instruction) -> bool:
    memory = inst.spec.memory
    return memory is not None and (memory.to_lds or (memory.space == "lds" and memory.op == "store"))


def _facts(step: Step, instructions: Sequence[Instruction]) -> Facts:
    # By identity: instructions share their registers, and most of them name the same few.
    loads: dict[int, Register] = {}
    reads: dict[int, Register] = {}
    for inst in instructions:
        for register in inst.reads():
            reads[id(register)] = register
        if inst.spec.counter is not None:
            for register in inst.writes():
                loads[id(register)] = register
    units = tuple(sorted(Counter(inst.spec.unit for inst in instructions).items()))
    late, used = frozenset(atoms(loads.values())), frozenset(atoms(reads.values()))
    return Facts(step.kind, step.name, step.regions, late, used, units, step.grouped)


def atoms(registers: Iterable[Register]) -> Iterator[Atom]:
    """Yield every 32-bit register of `registers`."""
    for register in registers:
        yield from zip(repeat(register.file), range(register.index, register.end))


def merge(found: Iterable[Atom]) -> list[Register]:
    """Return the fewest registers that hold exactly these atoms."""
    runs: list[tuple[str, int, int]] = []
    last, first, end = "", 0, 0
    for file, index in sorted(found):
        if index != end or file != last:
            runs.append((last, first, end))
            last, first = file, index
        end = index + 1
    return [Register(file, start, stop - start) for file, start, stop in [*runs, (last, first, end)] if file]
