"""LDS over bytes and over time: who writes and reads which region, and what an access costs at the banks.

What was touched and when comes from a run (`hkasm.emulator.checks.wave_trace`); without one the regions' names on the
instructions tell it, where the program has them. Bank cycles are of the addresses of the run, by the phase table
(`hkasm.isa.banks`), and carry its mark: measured or assumed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from hkasm.asm.instruction import Instruction
from hkasm.asm.program import LdsRegion, Program
from hkasm.emulator.checks.wave_trace import TraceStep
from hkasm.errors import UsageError
from hkasm.inspect.code import step_names
from hkasm.model.traces import bank_result

__all__ = ["BankUse", "LdsView", "RegionUse", "Touch", "lds_view"]

_UNNAMED = "all bytes"
_WRITES = {"store": "write", "direct": "write", "atomic": "atomic", "load": "read"}
_Waves = Mapping[tuple[int, int], Sequence[TraceStep]]


@dataclass(frozen=True, slots=True)
class Touch:
    """Instructions that do the same to a region in one step: `act` is write, read or atomic.

    `ranges` are neighbours in the code, first and last instruction; `count` of instructions, `runs` how often a wave
    executed one of them (0 without a run).
    """

    act: str
    step: str
    ranges: tuple[tuple[int, int], ...]
    count: int
    runs: int


@dataclass(frozen=True)
class RegionUse:
    """A region of LDS; `acts` has for each step of the run (all waves in their order) w, r, b (both) or a blank."""

    region: LdsRegion
    touches: tuple[Touch, ...]
    acts: Mapping[int, int]

    def strip(self, steps: int, width: int) -> str:
        """Draw the run on `width` characters: `W` written, `R` read, `X` both, `░` what was written waits, `·` empty.

        What waits is read later; behind the last read nothing does.
        """
        cells = [0] * width
        for order, act in self.acts.items():
            cells[order * width // max(steps, 1)] |= act
        reads = [place for place, act in enumerate(cells) if act & _READ]
        last, filled, out = reads[-1] if reads else -1, False, []
        for place, act in enumerate(cells):
            filled = filled or bool(act & _WRITE)
            out.append("·WRX"[act] if act else "░" if filled and place < last else "·")
        return "".join(out)


_WRITE, _READ = 1, 2


@dataclass(frozen=True, slots=True)
class BankUse:
    """An LDS instruction's cost at the banks over `runs` of the waves: clk in all, without conflicts, and lost.

    `degree` is the most dwords that lanes of a phase wanted of one bank; `mark` and `source` say how the row is known.
    """

    index: int
    instruction: str
    where: str
    runs: int
    clk: int
    free: int
    degree: int
    mark: str
    source: str

    @property
    def lost(self) -> int:
        return self.clk - self.free


@dataclass(frozen=True)
class LdsView:
    """The LDS of one workgroup: `steps` of the run (0 without one), its regions, and the accesses' bank costs."""

    total: int
    steps: int
    regions: tuple[RegionUse, ...]
    banks: tuple[BankUse, ...]

    def as_dict(self) -> dict[str, object]:
        """Return everything as plain data; a region's `acts` are runs of (first step, last step, act)."""
        return {
            "lds_bytes": self.total,
            "steps": self.steps,
            "regions": [
                {
                    "name": one.region.name,
                    "offset": one.region.offset,
                    "bytes": one.region.bytes,
                    "touches": [asdict(touch) for touch in one.touches],
                    "acts": [[step, ("write", "read", "both")[act - 1]] for step, act in sorted(one.acts.items())],
                }
                for one in self.regions
            ],
            "banks": [{**asdict(one), "lost": one.lost} for one in self.banks],
        }


def lds_view(program: Program, waves: _Waves | None = None, total: int | None = None) -> LdsView:
    """Return the view of a program's LDS; `waves` are what the waves of one workgroup executed.

    `total` is the bytes of LDS with those that the launch asked for.

    Raises UsageError for a trace of other code.
    """
    program.layout()
    total = program.lds_bytes if total is None else total
    regions = program.lds_map or ((LdsRegion(_UNNAMED, 0, total),) if total else ())
    instructions = program.instructions
    touched: dict[tuple[str, str, int], int] = defaultdict(int)
    acts: dict[str, dict[int, int]] = {region.name: {} for region in regions}
    banks: list[BankUse] = []
    steps = 0
    if waves is None:
        for index, name, act in _named(instructions, {region.name for region in regions}):
            touched[name, act, index] = 0
    else:
        by_index = _by_index(program, waves)
        steps = 1 + max((step.order for one in waves.values() for step in one), default=0)
        for index, seen in sorted(by_index.items()):
            for step in seen:
                for act, name in _touches(step, regions):
                    touched[name, act, index] += 1
                    bits = {"write": _WRITE, "read": _READ}.get(act, _WRITE | _READ)
                    acts[name][step.order] = acts[name].get(step.order, 0) | bits
        banks = list(_banks(program, by_index))
    names = step_names(program)
    uses = tuple(RegionUse(region, _gathered(touched, region.name, names), acts[region.name]) for region in regions)
    return LdsView(total, steps, uses, tuple(banks))


def _named(instructions: Sequence[Instruction], known: set[str]) -> Iterator[tuple[int, str, str]]:
    """Yield (instruction, region, act) of the regions that instructions name."""
    for index, inst in enumerate(instructions):
        memory = inst.spec.memory
        if memory is None:
            continue
        act = "write" if memory.to_lds else _WRITES.get(memory.op, "atomic")
        for region in inst.regions:
            name = f"{region[0]}[{region[1]}]" if isinstance(region, tuple) else str(region)
            if name in known:
                yield index, name, act


def _by_index(program: Program, waves: _Waves) -> dict[int, list[TraceStep]]:
    """Return the steps that touch LDS by their instruction."""
    index_of = {inst.offset: index for index, inst in enumerate(program.instructions)}
    found: dict[int, list[TraceStep]] = defaultdict(list)
    for steps in waves.values():
        for step in steps:
            if any(access.space == "lds" for access in step.accesses):
                index = index_of.get(step.offset)
                if index is None:
                    raise UsageError(f"the trace is not of {program.name}: no instruction at byte {step.offset:#x}")
                found[index].append(step)
    return found


def _touches(step: TraceStep, regions: Sequence[LdsRegion]) -> set[tuple[str, str]]:
    """Return (act, region) of every region that an active lane of a step touches."""
    found = set()
    for access in step.accesses:
        if access.space != "lds":
            continue
        first = access.address[access.address >= 0]
        for region in regions:
            if np.any((first < region.offset + region.bytes) & (first + access.size > region.offset)):
                found.add((_WRITES.get(access.kind, "atomic"), region.name))
    return found


def _gathered(touched: Mapping[tuple[str, str, int], int], region: str, names: Mapping[int, str]) -> tuple[Touch, ...]:
    """Return a region's touches by act and step, in the order of the code."""
    groups: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for (name, act, index), runs in sorted(touched.items(), key=lambda item: item[0][2]):
        if name == region:
            groups[act, names.get(index, "")].append((index, runs))
    return tuple(
        Touch(act, step, tuple(_ranges(index for index, _ in seen)), len(seen), sum(runs for _, runs in seen))
        for (act, step), seen in groups.items()
    )


def _ranges(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Return first and last of instructions of one group; a gap of up to 8 others does not end a range."""
    found: list[tuple[int, int]] = []
    for index in indices:
        if found and index - found[-1][1] <= 8:
            found[-1] = (found[-1][0], index)
        else:
            found.append((index, index))
    return found


def _banks(program: Program, by_index: Mapping[int, Sequence[TraceStep]]) -> Iterator[BankUse]:
    for index, seen in sorted(by_index.items()):
        inst = program.instructions[index]
        if inst.spec.unit != "LDS":
            continue
        found = bank_result(inst, program.arch.name, seen)
        if found is None:
            continue
        runs, clk = len(seen), int(found.cycles.sum())
        where = "" if inst.origin is None else str(inst.origin)
        free = runs * found.conflict_free_cycles
        yield BankUse(index, str(inst), where, runs, clk, free, found.worst, found.mark, found.source)
