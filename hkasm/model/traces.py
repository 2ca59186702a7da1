"""From programs and traces to the streams that a compute unit plays.

A trace is what the emulator saw one workgroup do (`hkasm.emulator.checks.wave_trace`): the way that branches went, the
LDS bytes of every access (bank cycles are then exact) and the global lines (so that strided rows cost what they touch).
A program on its own is played in its order, loops as often as asked, with accesses that have no conflicts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hkasm.asm.instruction import Instruction, Label
from hkasm.asm.program import Program
from hkasm.emulator.checks.wave_trace import Access, TraceStep, WaveTrace
from hkasm.emulator.launch import Launch
from hkasm.emulator.machine import Machine
from hkasm.emulator.options import Options
from hkasm.emulator.report import Reporter, RunReport
from hkasm.emulator.run import Limits, Run
from hkasm.errors import EmulatorError, UsageError
from hkasm.isa.banks import BankResult, bank_cycles
from hkasm.model.constants import timing
from hkasm.model.uops import Uop, make_uop

__all__ = ["bank_result", "memory_bytes", "program_stream", "trace_group", "trace_streams"]

MAX_STEPS = 400_000
"""Instructions of a wave that are kept: the loop of any library kernel is steady long before."""
_LINE, _SECTOR = 128, 32
_TURNS = 64


def program_stream(program: Program, trips: Mapping[str, int] | None = None) -> list[Uop]:
    """Return a program's instructions in order; the loop that begins at label L is played ``trips[L]`` times.

    Forward branches are not taken. Raises UsageError for a label that no branch behind it names.
    """
    t, arch = timing(program.arch.name), program.arch.name
    uops = [make_uop(inst, index, arch, t) for index, inst in enumerate(program.instructions)]
    labels, left = program.labels, dict(trips or {})
    for name in left:
        if name not in labels:
            raise UsageError(f"{program.name} has no label '{name}'", hint=f"it has {', '.join(labels) or 'none'}")
    stream, place = [], 0
    while place < len(uops):
        stream.append(uops[place])
        target = next((v.name for v in program.instructions[place].operands if isinstance(v, Label)), "")
        if left.get(target, 0) > 1 and labels[target] <= place:
            left[target] -= 1
            place = labels[target]
        elif uops[place].kind == "end":
            break
        else:
            place += 1
    return stream


def trace_group(
    machine: Machine,
    kernel: str,
    grid: Sequence[int],
    block: Sequence[int],
    kernarg: bytes,
    *,
    group: int = 0,
    lds_bytes: int = 0,
    max_seconds: float = 60.0,
) -> WaveTrace:
    """Run one workgroup of a launch on the emulator and return what its waves did.

    Values need not be right, only branches and addresses: arithmetic is the fast one and checks are off.
    Raises HkasmError if the workgroup faults, waits for another one, or takes longer than `max_seconds`.
    """
    options = Options(checks=(), arithmetic="fast", order="batch", max_seconds=max_seconds)
    image = machine.kernel(kernel)
    launch = Launch(
        image, machine.code_object, machine.image, machine.memory, grid, block, kernarg, lds_bytes, options
    )  # fmt: skip
    if not 0 <= group < launch.groups:
        raise UsageError(f"{kernel}: workgroup {group} of {launch.groups}")
    trace = WaveTrace(groups=(group,), limit=MAX_STEPS)
    reporter = Reporter(RunReport(), strict=True, limit=1)
    with launch:
        run = Run(
            launch, machine.code(image, options), range(group, group + 1), [trace], reporter, Limits(options, None)
        )
        while not run.advance(_TURNS):
            pass
    if trace.truncated:
        raise EmulatorError(f"{kernel}: a wave has more than {MAX_STEPS} instructions", hint="a smaller problem, or K")
    return trace


def trace_streams(program: Program, trace: WaveTrace) -> list[list[Uop]]:
    """Return one stream a wave, with the bank cycles and lines of the addresses that were touched.

    All waves must be of one workgroup. Raises UsageError for a trace of other code.
    """
    program.layout()
    t, arch = timing(program.arch.name), program.arch.name
    instructions = program.instructions
    index_of = {inst.offset: index for index, inst in enumerate(instructions)}
    plain = [make_uop(inst, index, arch, t) for index, inst in enumerate(instructions)]
    waves = [steps for _, steps in sorted(trace.waves.items())]
    streams: list[list[Uop]] = []
    by_index: dict[int, list[tuple[int, int, TraceStep]]] = defaultdict(list)
    for number, steps in enumerate(waves):
        stream = []
        for place, step in enumerate(steps):
            index = index_of.get(step.offset)
            if index is None:
                raise UsageError(f"the trace is not of {program.name}: no instruction at byte {step.offset:#x}")
            stream.append(plain[index])
            if step.accesses:
                by_index[index].append((number, place, step))
        streams.append(stream)
    for index, touched in by_index.items():
        uop = plain[index]
        if uop.kind.startswith("lds"):
            costs = _bank_costs(instructions[index], uop.bank, arch, [step for _, _, step in touched])
            made = {cost: uop.with_banks(cost) for cost in set(costs)}
        elif uop.kind in ("load", "store", "direct"):
            costs = _line_counts([step for _, _, step in touched])
            made = {count: uop.with_lines(count, t) for count in set(costs)}
        else:
            continue
        for (number, place, _), cost in zip(touched, costs, strict=True):
            streams[number][place] = made[cost]
    return streams


def memory_bytes(trace: WaveTrace) -> tuple[int, int]:
    """Return the bytes of memory that the traced waves read and write, each once however often they are touched.

    Scalar loads are left out. Counted in sectors of 32 bytes, the smallest request of an L2 to memory (ROCm's counter
    TCC_EA0_RDREQ_32B).
    """
    read: list[npt.NDArray[np.int64]] = []
    written: list[npt.NDArray[np.int64]] = []
    for steps in trace.waves.values():
        for access in (access for step in steps for access in step.accesses if access.space == "global"):
            first = access.address[access.address >= 0]
            sectors = [(first + byte) // _SECTOR for byte in (*range(0, access.size, _SECTOR), access.size - 1)]
            read += sectors if access.kind != "store" else ()
            written += sectors if access.kind in ("store", "atomic") else ()
    return _once(read), _once(written)


def _once(sectors: list[npt.NDArray[np.int64]]) -> int:
    return _SECTOR * len(np.unique(np.concatenate(sectors))) if sectors else 0


def _bank_costs(inst: Instruction, plain: int, arch: str, steps: Sequence[TraceStep]) -> list[int]:
    """Return the bank cycles of each step; `plain` where no addresses are in play (moves between lanes)."""
    found = bank_result(inst, arch, steps)
    return [plain] * len(steps) if found is None else [int(cost) for cost in found.cycles]


def bank_result(inst: Instruction, arch: str, steps: Sequence[TraceStep]) -> BankResult | None:
    """Return the bank cost of each step of an LDS instruction; None where no addresses are in play."""
    memory = inst.spec.memory
    if memory is None or memory.op not in ("load", "store", "atomic"):
        return None
    parts = [_lds_addresses(step) for step in steps]
    first = np.stack([part[0] for part in parts])
    second = np.stack([part[-1] for part in parts]) if memory.pair else None
    return bank_cycles(arch, memory, np.maximum(first, 0), first >= 0, second=second)


def _lds_addresses(step: TraceStep) -> list[npt.NDArray[np.int64]]:
    return [np.broadcast_to(access.address, (64,)) for access in step.accesses if access.space == "lds"]


def _line_counts(steps: Sequence[TraceStep]) -> list[int]:
    """Return the 128-byte lines of memory that each step touches, at least 1."""
    found = []
    for step in steps:
        lines = [_lines(access) for access in step.accesses if access.space == "global"]
        found.append(max(len(np.unique(np.concatenate(lines))), 1) if lines else 1)
    return found


def _lines(access: Access) -> npt.NDArray[np.int64]:
    address = access.address[access.address >= 0]
    return np.concatenate([address // _LINE, (address + access.size - 1) // _LINE])
