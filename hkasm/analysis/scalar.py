"""Follows a program's scalar code from given registers, without memory, lanes or an emulator.

What loads, vector instructions and unknown operands bring is not known; a branch that depends on it cannot be followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from hkasm.analysis.flow import flow_of
from hkasm.asm.instruction import Instruction
from hkasm.asm.program import Program
from hkasm.errors import UsageError
from hkasm.isa.constants import Const
from hkasm.isa.registers import SCC, Register
from hkasm.isa.spec import Operand

__all__ = ["follow"]

MOST_STEPS = 1_000_000


def follow(program: Program, registers: Mapping[int, int], first: int = 0) -> Iterator[int]:
    """Yield the indices of the instructions that a wave executes, from `first` to the end of the program.

    `registers` maps SGPR numbers to their values there.

    Raises:
        UsageError: a branch depends on what is not known, or the way is endless.
    """
    code, flow = program.instructions, flow_of(program)
    state: dict[int, int] = dict(registers)
    index = first
    for _ in range(MOST_STEPS):
        if not 0 <= index < len(code):
            return
        yield index
        inst = code[index]
        match inst.spec.control:
            case "end":
                return
            case "branch":
                index = flow.targets[index]
                continue
            case "cbranch":
                index = flow.targets[index] if _taken(inst, state) else index + 1
                continue
        _execute(inst, state)
        index += 1
    raise UsageError(f"{program.name}: more than {MOST_STEPS} instructions on one way", hint="fewer K steps")


def _taken(inst: Instruction, state: Mapping[int, int]) -> bool:
    if inst.mnemonic not in ("s_cbranch_scc0", "s_cbranch_scc1") or SCC.index not in state:
        raise UsageError(f"{inst}: which way a wave goes here is not known", where=inst.origin)
    return bool(state[SCC.index]) == (inst.mnemonic == "s_cbranch_scc1")


def _execute(inst: Instruction, state: dict[int, int]) -> None:
    """Take in what an instruction does to scalar registers; what is not known is forgotten."""
    results: tuple[object, ...] | None = None
    spec = inst.spec
    if spec.unit == "SALU" and spec.meaning is not None and all(op.dwords <= 1 for op in spec.operands):
        sources = [_source(inst, operand, state) for operand in spec.reads]
        if all(source is not None for source in sources):
            made = spec.meaning(*sources)
            results = made if isinstance(made, tuple) else (made,)
    if results is not None:
        for operand, result in zip(spec.writes, results, strict=True):
            target = operand.fixed if operand.fixed is not None else inst.operand(operand.name)
            if isinstance(target, Register):
                state[target.index] = int(np.asarray(result).reshape(-1)[0])
        return
    for target in inst.writes():
        for number in range(target.index, target.end) if target.file == "s" else ():
            state.pop(number, None)


def _source(inst: Instruction, operand: Operand, state: Mapping[int, int]) -> np.ndarray | None:
    value = operand.fixed if operand.fixed is not None else inst.operand(operand.name)
    if isinstance(value, Register):
        if value.index not in state:
            return None
        if value.index == SCC.index:
            return np.array([bool(state[value.index])])
        return np.array([state[value.index]], np.uint32)
    if isinstance(value, Const):
        return np.array([value.bits("u32")], np.uint32)
    return np.array([value & 0xFFFFFFFF], np.uint32) if isinstance(value, int) else None
