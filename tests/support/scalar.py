"""A scalar interpreter: follows a program along its branches by the meanings of its scalar instructions."""

from __future__ import annotations

import numpy as np

from hkasm.asm.instruction import Instruction, Label
from hkasm.asm.program import Program
from hkasm.isa.constants import Const
from hkasm.isa.registers import SCC, Register

_ARRAYS = {"i32": np.int32, "b64": np.uint64, "u64": np.uint64, "i64": np.uint64}


def follow(program: Program, registers: dict[int, int]) -> list[Instruction]:
    """Execute the scalar instructions of a program; return everything that was passed.

    `registers` maps SGPR numbers to values and holds those at the end; what it does not name starts at 0.
    """
    state = registers
    for number in range(128):
        state.setdefault(number, 0)
    scc, passed, index = False, [], 0
    labels, code = program.labels, program.instructions
    while True:
        inst = code[index]
        passed.append(inst)
        index += 1
        if inst.spec.control == "end":
            return passed
        if inst.spec.control in ("branch", "cbranch"):
            label = inst.operands[-1]
            assert isinstance(label, Label)
            if inst.mnemonic == "s_branch" or (inst.mnemonic == "s_cbranch_scc1") == scc:
                index = labels[label.name]
        elif inst.spec.unit == "SALU" and inst.spec.meaning is not None:
            sources = [
                np.array([scc])
                if operand.fixed == SCC
                else np.array([scalar_value(inst, operand.name, state)], _ARRAYS.get(operand.type, np.uint32))
                for operand in inst.spec.reads
            ]
            results = inst.spec.meaning(*sources)
            for operand, result in zip(inst.spec.writes, _tuple(results), strict=True):
                if operand.fixed == SCC:
                    scc = bool(result[0])
                else:
                    target = inst.operand(operand.name)
                    assert isinstance(target, Register)
                    for number in range(operand.dwords):
                        state[target.index + number] = int(result[0]) >> 32 * number & 0xFFFF_FFFF


def scalar_value(inst: Instruction, name: str, state: dict[int, int]) -> int:
    value = inst.operand(name)
    operand = next(one for one in inst.spec.reads if one.name == name)
    if isinstance(value, Register):
        bits = sum(state[value.index + number] << 32 * number for number in range(operand.dwords))
    else:
        assert isinstance(value, Const)
        bits = int(value.bits("u64" if operand.dwords == 2 else "u32"))
    return bits - (1 << 32) if operand.type == "i32" and bits >> 31 else bits


def _tuple(results: object) -> tuple[np.ndarray, ...]:
    return results if isinstance(results, tuple) else (results,)  # type: ignore[return-value]
